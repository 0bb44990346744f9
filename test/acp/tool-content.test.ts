import { expect } from "chai";
import { proposalContent } from "../../src/acp/tool-content.js";
import { diffsOf } from "../../src/core/diff/diff.js";
import type { FileChange } from "../../src/plugin/index.js";

describe("What an editor shows of a proposal", () => {
    const ignored = (path: string, others: Partial<FileChange> = {}): FileChange => ({
        ...{ path, before: null, beforeHash: null, after: Buffer.from(`${path}\n`) },
        ...{ isIgnored: true, ...others },
    });
    const shown = (...changes: FileChange[]) =>
        proposalContent("/project", { changes }, diffsOf({ changes })).map((content) => {
            if (content.type === "diff") return `${content.path}: ${content.newText.trim()}`;
            return content.type === "content" && content.content.type === "text"
                ? content.content.text
                : "";
        });

    it("Ignored files are counted, and shown as well, since an editor cannot ask for more", () => {
        const link = { type: "link", after: Buffer.from("../a/cli.js") } as const;
        const said = shown(ignored("x.sh"), ignored("node_modules/.bin/a", link));
        expect(said).to.deep.equal([
            "x.sh: 1 file, ignored, created",
            "node_modules/: 1 file, ignored: .bin/a, .bin/a: new, a link to ../a/cli.js",
            "/project/x.sh: x.sh",
        ]);
        const many = Array.from({ length: 60 }, (_, index) => ignored(`dist/${index}.js`));
        expect(shown(...many)).to.have.length(52);
        expect(shown(...many).at(-1)).to.equal("10 more ignored files, not shown");
    });

    it("All of a commit's message that its title does not say is shown, whatever it looks like", () => {
        const git = {
            changes: [{ what: 'Commit to main: "a"' }],
            messages: [{ of: "1a2b3c4", text: "a\n\n@@ -1 +1 @@\nb" }],
            ...{ unseen: [], isPlain: true },
        };
        const changeSet = { changes: [], git };
        const said = proposalContent("/project", changeSet, diffsOf(changeSet));
        expect(JSON.stringify(said)).to.contain(
            String.raw`Message of 1a2b3c4: @@ -0,0 +1,4 @@\n+a\n+\n+@@ -1 +1 @@\n+b`
        );
    });

    it("A text with a NUL is a diff, and lists the lines that an editor may not show whole", () => {
        const said = shown(
            ignored("run.sh", { after: Buffer.from("# \0\nrm\n"), isIgnored: false })
        );
        expect(said[0]).to.equal("/project/run.sh: # \0\nrm");
        expect(said[1]).to.contain("1: # ^@");
    });

    it("Bytes that are not UTF-8, and a script in place of a binary file, are shown as in the terminal", () => {
        const file = { isIgnored: false, beforeHash: "x" };
        const [bytes, script] = [
            ignored("a", {
                ...file,
                before: Buffer.from("\xe9", "latin1"),
                after: Buffer.from("\xea", "latin1"),
            }),
            ignored("b", {
                ...file,
                before: Buffer.from("\0\x01\xff", "latin1"),
                after: Buffer.from("rm -rf /"),
            }),
        ].map((change) => shown(change).join("\n"));
        expect(bytes).to.contain("-⟨e9⟩").and.contain("+⟨ea⟩");
        expect(script).to.contain("was a binary file").and.contain("+rm -rf /");
    });

    it("A letter that passes for a Latin one is listed beside the diff", () => {
        const said = shown(
            ignored("a.js", { isIgnored: false, after: Buffer.from("is\u0410dmin()\n") })
        );
        expect(said[1]).to.contain("look like others").and.contain("1: is\\u{410}dmin()");
    });
});
