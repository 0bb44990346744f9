import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { readCursorRules as readRules } from "../../../src/workspace/context/cursor-rules.js";
import type { ContextRequest } from "../../../src/plugin/index.js";
import { readGuidance } from "../../../src/workspace/context/read-guidance.js";
import { openWorkspace } from "../../../src/workspace/open-workspace.js";
import { makeFolder } from "../make-folder.js";

const readCursorRules = (root: string) => {
    const workspace = openWorkspace({ root });
    const guidance: ContextRequest["guidance"] = (place, maxBytes) =>
        readGuidance({ workspace }, place, maxBytes);
    return readRules({ workspace, guidance });
};

async function only(text: string) {
    const [rule] = await readCursorRules(makeFolder({ ".cursor/rules/one.mdc": text }));
    if (!rule) throw new Error("There is no rule.");
    return rule;
}

describe("Cursor rules", () => {
    it("Without their folder there are no rules", async () => {
        expect(await readCursorRules(makeFolder())).to.deep.equal([]);
    });

    it("Rules are found in all folders by their extension and sorted by path", async () => {
        const root = makeFolder({
            ".cursor/rules/z.mdc": "Z",
            ".cursor/rules/a/b.mdc": "B",
            ".cursor/rules/a.mdc": "A",
            ".cursor/rules/readme.md": "No rule",
            ".cursor/rules/empty.mdc": "---\nalwaysApply: true\n---\n",
        });
        const rules = await readCursorRules(root);
        expect(rules.map(({ path, body }) => [path, body])).to.deep.equal([
            ["a.mdc", "A"],
            ["a/b.mdc", "B"],
            ["z.mdc", "Z"],
        ]);
    });

    it("A rule applies always when it says so, or when it says nothing else", async () => {
        expect((await only("Just text")).always).to.equal(true);
        expect((await only("---\nalwaysApply: true\nglobs: *.ts\n---\nX")).always).to.equal(true);
        expect((await only("---\r\ndescription: d\r\nglobs:\r\n---\r\nX")).always).to.equal(true);
        expect((await only("---\nglobs: *.ts\n---\nX")).always).to.equal(false);
    });

    it("Globs are read as Cursor writes them and as YAML does", async () => {
        const written = [
            "*.ts, lib/**",
            '"*.ts,lib/**"',
            '["*.ts", "lib/**"]',
            "\n  - '*.ts'\n  - lib/**",
        ];
        for (const globs of written) {
            const { matches } = await only(`---\nglobs: ${globs}\n---\nX`);
            expect(["a/b.ts", "lib/c.js", "a.js"].map(matches), globs).to.deep.equal([
                true,
                true,
                false,
            ]);
        }
        const { matches } = await only("---\nglobs: src/{a,b}/*.ts\n---\nX");
        expect(["src/a/x.ts", "src/b/x.ts", "src/c/x.ts"].map(matches)).to.deep.equal([
            true,
            true,
            false,
        ]);
    });

    it("A rule with invalid front matter is taken as it stands", async () => {
        const rule = await only("---\n: [unclosed\n\tx\n---\nBody");
        expect(rule).to.deep.include({ always: true, body: "Body" });
        expect((await only("---\nnever closed")).body).to.equal("---\nnever closed");
    });

    it("A rule cannot lead out of the repository", async () => {
        const outside = makeFolder({ "secret.mdc": "Secret" });
        const root = makeFolder({ ".cursor/rules/a.mdc": "A" });
        symlinkSync(path.join(outside, "secret.mdc"), path.join(root, ".cursor/rules/b.mdc"));
        expect((await readCursorRules(root)).map(({ path }) => path)).to.deep.equal(["a.mdc"]);
        const linked = makeFolder({ "x.txt": "" });
        symlinkSync(outside, path.join(linked, ".cursor"));
        expect(await readCursorRules(linked)).to.deep.equal([]);
    });

    it("A rule of nothing but commas and stars is read in linear time", async () => {
        const commas = await only(`---\nglobs: ${",".repeat(60_000)}a.ts\n---\nX`);
        expect(commas.matches("src/a.ts")).to.equal(true);
        const stars = await only(`---\nglobs: ${"*a".repeat(12)}*b\n---\nX`);
        expect(stars.matches("a".repeat(200))).to.equal(false);
    });
});
