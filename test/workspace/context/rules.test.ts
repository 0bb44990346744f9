import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { readRules as read } from "../../../src/workspace/context/rules.js";
import type { ContextRequest } from "../../../src/plugin/index.js";
import { readGuidance } from "../../../src/workspace/context/read-guidance.js";
import { openWorkspace } from "../../../src/workspace/open-workspace.js";
import { makeFolder } from "../make-folder.js";

const readRules = (root: string) => {
    const workspace = openWorkspace({ root });
    const guidance: ContextRequest["guidance"] = (place, maxBytes) =>
        readGuidance({ workspace }, place, maxBytes);
    return read({ workspace, guidance });
};

async function only(text: string) {
    const [rule] = await readRules(makeFolder({ ".cursor/rules/one.mdc": text }));
    if (!rule) throw new Error("There is no rule.");
    return rule;
}

describe("Rules of a repository", () => {
    it("Without their folder there are no rules", async () => {
        expect(await readRules(makeFolder())).to.deep.equal([]);
    });

    it("Rules are found in all folders by their extension and sorted by path", async () => {
        const root = makeFolder({
            ".cursor/rules/z.mdc": "Z",
            ".cursor/rules/a/b.mdc": "B",
            ".cursor/rules/a.mdc": "A",
            ".cursor/rules/readme.md": "No rule",
            ".cursor/rules/empty.mdc": "---\nalwaysApply: true\n---\n",
        });
        const rules = await readRules(root);
        expect(rules.map(({ path, body }) => [path, body])).to.deep.equal([
            [".cursor/rules/a.mdc", "A"],
            [".cursor/rules/a/b.mdc", "B"],
            [".cursor/rules/z.mdc", "Z"],
        ]);
    });

    it("Claude Code's and Copilot's rules name files with fields of their own", async () => {
        const root = makeFolder({
            ".cursor/rules/cards/RULE.md": "---\nglobs: '*.tsx'\n---\nCards",
            ".claude/rules/all.md": "All",
            ".claude/rules/deep/some.md": "---\npaths: src/**/*.{ts,tsx}\n---\nSome",
            ".github/instructions/api.instructions.md":
                "---\napplyTo: '**/*.ts,**/*.tsx'\n---\nApi",
            ".github/instructions/named.instructions.md": "---\ndescription: For events.\n---\nX",
            ".github/instructions/silent.instructions.md": "Nothing says when.",
            ".github/instructions/notes.md": "No rule",
        });
        const rules = await readRules(root);
        const facts = rules.map(({ path: file, body, always, matches }) => [
            ...[path.basename(file), body, always, matches("src/a.tsx")],
        ]);
        expect(facts).to.deep.equal([
            ["RULE.md", "Cards", false, true],
            ["all.md", "All", true, false],
            ["some.md", "Some", false, true],
            ["api.instructions.md", "Api", false, true],
            ["named.instructions.md", "Read this file when it applies. For events.", true, false],
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

    it("A rule cannot lead outside the repository", async () => {
        const outside = makeFolder({ "secret.mdc": "Secret" });
        const root = makeFolder({ ".cursor/rules/a.mdc": "A" });
        symlinkSync(path.join(outside, "secret.mdc"), path.join(root, ".cursor/rules/b.mdc"));
        expect((await readRules(root)).map(({ path }) => path)).to.deep.equal([
            ".cursor/rules/a.mdc",
        ]);
        const linked = makeFolder({ "x.txt": "" });
        symlinkSync(outside, path.join(linked, ".cursor"));
        expect(await readRules(linked)).to.deep.equal([]);
    });

    it("A rule of nothing but commas and stars is read in linear time", async () => {
        const commas = await only(`---\nglobs: ${",".repeat(60_000)}a.ts\n---\nX`);
        expect(commas.matches("src/a.ts")).to.equal(true);
        const stars = await only(`---\nglobs: ${"*a".repeat(12)}*b\n---\nX`);
        expect(stars.matches("a".repeat(200))).to.equal(false);
    });
});
