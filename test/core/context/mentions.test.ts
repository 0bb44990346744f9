import { expect } from "chai";
import { mentionsIn } from "../../../src/core/context/mentions.js";

const first = (text: string) => mentionsIn(text).map(({ candidates }) => candidates[0]);

describe("mentions of files in a message", () => {
    it("are words that begin with @", () => {
        expect(first("Look at @src/a.ts and\n@b.md")).to.deep.equal(["src/a.ts", "b.md"]);
        expect(first("@a (@b) [@c]")).to.deep.equal(["a", "b)", "c]"]);
    });

    it("are not e-mail addresses or parts of words", () => {
        expect(first("me@example.org, foo@bar, @@x, @ alone, a/@b")).to.deep.equal([]);
    });

    it("may be in quotes, for names with spaces", () => {
        expect(first(`@"my file.ts" @'it is.md' @"open`)).to.deep.equal(["my file.ts", "it is.md"]);
    });

    it("are read with and without the punctuation that follows", () => {
        expect(mentionsIn("What is in @src/a.ts?!")).to.deep.equal([
            { candidates: ["src/a.ts?!", "src/a.ts"] },
        ]);
    });

    it("count once", () => {
        expect(first("@a @b @a")).to.deep.equal(["a", "b"]);
    });
});
