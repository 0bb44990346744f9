import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { writeNewPlugin } from "../../../src/host/operations/new-plugin.js";

describe("New plugins", () => {
    let parent: string;
    const northRoot = path.resolve(".");

    beforeEach(() => {
        parent = fs.mkdtempSync(path.join(tmpdir(), "north-new-plugin-"));
    });
    afterEach(() => fs.rmSync(parent, { recursive: true }));

    it("A new plugin bears its name everywhere and is linked to this North", async () => {
        const folder = await writeNewPlugin("word_count", { northRoot, parent });
        expect(folder).to.equal(path.join(parent, "north-plugin-word_count"));
        const manifest = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
        expect(manifest.name).to.equal("north-plugin-word_count");
        const { default: register } = await import(path.join(folder, "register.js"));
        const { tools, slashCommands } = await register({});
        expect([tools[0].name, slashCommands[0].name]).to.deep.equal(["word_count", "word_count"]);
        const link = path.join(folder, "node_modules", "north-cli");
        expect(fs.realpathSync(link)).to.equal(northRoot);
        for (const file of fs.readdirSync(folder, { withFileTypes: true })) {
            if (!file.isFile()) continue;
            const text = fs.readFileSync(path.join(folder, file.name), "utf8");
            expect(text, file.name).not.to.contain("sample");
        }
    });

    it("The README of a new plugin restores the link to North without the registry", async () => {
        const folder = await writeNewPlugin("notes", { northRoot, parent });
        const link = path.join(folder, "node_modules", "north-cli");
        fs.rmSync(path.dirname(link), { recursive: true });
        const readme = fs.readFileSync(path.join(folder, "README.md"), "utf8");
        const [restore = ""] = /^mkdir .*$/m.exec(readme) ?? [];
        execFileSync("bash", ["-c", restore], { cwd: folder });
        expect(fs.realpathSync(link)).to.equal(northRoot);
    });

    it("A prefix that was typed is not doubled", async () => {
        const folder = await writeNewPlugin("north-plugin-notes", { northRoot, parent });
        expect(path.basename(folder)).to.equal("north-plugin-notes");
    });

    it("A folder that exists and a name that npm refuses are left alone", async () => {
        fs.mkdirSync(path.join(parent, "north-plugin-notes"));
        for (const [name, code] of [
            ["notes", "file-exists"],
            ["Notes", "invalid-name"],
            ["../notes", "invalid-name"],
            ["north-plugin-", "invalid-name"],
        ] as const) {
            const error = await writeNewPlugin(name, { northRoot, parent }).catch(
                (reason: unknown) => reason
            );
            expect(error, name).to.include({ code });
        }
        expect(fs.readdirSync(parent)).to.deep.equal(["north-plugin-notes"]);
    });
});
