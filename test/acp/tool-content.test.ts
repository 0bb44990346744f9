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
            "x.sh: 1 file, ignored by git, created",
            "node_modules/: 1 file, ignored by git: .bin/a, .bin/a: new, a link to ../a/cli.js",
            "/project/x.sh: x.sh",
        ]);
        const many = Array.from({ length: 60 }, (_, index) => ignored(`dist/${index}.js`));
        expect(shown(...many)).to.have.length(52);
        expect(shown(...many).at(-1)).to.equal("10 more ignored files, not shown");
    });

    it("A text with a NUL is a diff, and lists the lines that an editor may not show whole", () => {
        const said = shown(
            ignored("run.sh", { after: Buffer.from("# \0\nrm\n"), isIgnored: false })
        );
        expect(said[0]).to.equal("/project/run.sh: # \0\nrm");
        expect(said[1]).to.contain("1: # ^@");
    });
});
