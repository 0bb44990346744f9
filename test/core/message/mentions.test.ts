import { expect } from "chai";
import { mentionsIn } from "../../../src/core/message/attachments.js";

const first = (text: string) => mentionsIn(text).map(({ candidates }) => candidates[0]);

describe("File mentions", () => {
    it("A word that begins with @ is a mention", () => {
        expect(first("Look at @src/a.ts and\n@b.md")).to.deep.equal(["src/a.ts", "b.md"]);
        expect(first("@a (@b) [@c]")).to.deep.equal(["a", "b)", "c]"]);
    });

    it("Email addresses and parts of words are not mentions", () => {
        expect(first("me@example.org, foo@bar, @@x, @ alone, a/@b")).to.deep.equal([]);
    });

    it("A quoted mention may contain spaces", () => {
        expect(first(`@"my file.ts" @'it is.md' @"open`)).to.deep.equal(["my file.ts", "it is.md"]);
    });

    it("A mention is tried with and without its trailing punctuation", () => {
        expect(mentionsIn("What is in @src/a.ts?!")).to.deep.equal([
            { candidates: ["src/a.ts?!", "src/a.ts"] },
        ]);
    });

    it("A file mentioned twice is attached once", () => {
        expect(first("@a @b @a")).to.deep.equal(["a", "b"]);
    });
});
