import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { planProfileFile } from "../../../src/host/operations/write-profile.js";

describe("planProfileFile", () => {
    it("What is not UTF-8 in the rest of the file stays byte for byte", async () => {
        const root = realpathSync(mkdtempSync(path.join(tmpdir(), "north-profile-")));
        try {
            const file = path.join(root, "AGENTS.md");
            const own = Buffer.from("# R\xe8gles: voil\xe0\xa0", "latin1");
            writeFileSync(file, Buffer.concat([own, Buffer.from("\n\n\n")]));
            await (await planProfileFile(root, file, "Profil für alle")).apply();
            const written = readFileSync(file);
            expect(written.subarray(0, own.length)).to.deep.equal(own);
            expect(written.subarray(own.length).toString()).to.match(
                /^\n\n<!--.*-->\n\nProfil für alle\n\n<!--.*-->\n$/
            );
        } finally {
            rmSync(root, { recursive: true });
        }
    });

    it("A place that cannot be written is refused before anything is shown or paid for", async () => {
        const root = realpathSync(mkdtempSync(path.join(tmpdir(), "north-profile-")));
        try {
            for (const folder of [".git", "docs"]) mkdirSync(path.join(root, folder));
            const codes = ["docs", ".git/AGENTS.md", "../AGENTS.md"].map(async (file) =>
                planProfileFile(root, path.join(root, file), "Profile").catch((error) => error.code)
            );
            expect(await Promise.all(codes)).to.deep.equal([
                ...["not-a-file", "protected-path", "outside-repository"],
            ]);
        } finally {
            rmSync(root, { recursive: true });
        }
    });
});
