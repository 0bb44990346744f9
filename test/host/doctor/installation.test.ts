import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { findInstallation } from "../../../src/host/doctor/installation.js";

describe("findInstallation", () => {
    it("Each package manager is told by its folder and gets its own command", () => {
        for (const [folder, from, update] of [
            ["/opt/homebrew/Cellar/north/0.1.0/libexec/lib", "Homebrew", "brew upgrade north"],
            ["/home/a/.npm/_npx/3f/node_modules/north-cli", "npx", "npx north-cli@latest"],
            ["/s/global/5/.pnpm/n@1/node_modules/north-cli", "pnpm", "pnpm add --global "],
            ["/home/a/.config/yarn/global/node_modules/north-cli", "Yarn", "yarn global add "],
            ["/home/a/.bun/install/global/node_modules/north-cli", "Bun", "bun add --global "],
            [
                "/home/a/.npm-global/lib/node_modules/north-cli",
                "npm",
                "npm install --global --prefix '/home/a/.npm-global' north-cli@latest",
            ],
            [
                "/home/a/my work/node_modules/north-cli",
                "npm",
                "npm install --prefix '/home/a/my work' north-cli@latest",
            ],
            [
                "/home/a/north",
                "a checkout",
                "cd '/home/a/north' && git pull && npm install && npm run build",
            ],
        ] as const) {
            const found = findInstallation(folder);
            expect(found.from).to.equal(from);
            expect(found.update).to.satisfy((line: string) => line.startsWith(update), update);
        }
    });

    it("An archive is updated by the line that installed it", () => {
        const prefix = fs.mkdtempSync(path.join(tmpdir(), "north-archive-"));
        fs.writeFileSync(path.join(prefix, "INSTALL"), "curl URL | sh\n");
        const found = findInstallation(path.join(prefix, "lib", "node_modules", "north-cli"));
        fs.rmSync(prefix, { recursive: true });
        expect(found).to.deep.equal({
            from: "an archive",
            folder: prefix,
            update: "curl URL | sh",
        });
    });
});
