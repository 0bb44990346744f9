import { expect } from "chai";
import { searchText } from "../../../src/builtin/tools/search-text.js";
import { isExpectedError } from "../../../src/base/north-error.js";
import { dataOf, makeToolContext } from "../../helpers/tool-context.js";

type SearchTextInput = Parameters<typeof searchText.execute>[0];

const files = {
    "src/a.ts": "one\nfoo two\nthree\nfoo four\n",
    "src/b.ts": "  foo(bar)\n",
    "docs/c.md": "foo\n",
};

async function search(input: SearchTextInput) {
    const context = await makeToolContext({ files });
    return dataOf(await searchText.execute(input, context));
}

async function codeOf(input: SearchTextInput): Promise<unknown> {
    const error: unknown = await search(input).catch((reason: unknown) => reason);
    return isExpectedError(error) ? error.code : error;
}

describe("search_text", () => {
    it("Matching lines are found with their place and a preview", async () => {
        const data = await search({ query: "foo(bar)" });

        expect(data.matches).to.have.length(1);
        expect(data.matches[0]).to.include({ path: "src/b.ts", line: 1, column: 3 });
        expect(data.matches[0]?.preview).to.contain("foo(bar)");
    });

    it("A search covers a folder, one file or a line range, with context", async () => {
        expect((await search({ query: "foo", path: "docs" })).matches).to.have.length(1);
        expect((await search({ query: "foo", file: "src/a.ts" })).matches).to.have.length(2);

        const { matches } = await search({
            query: "foo",
            file: "src/a.ts",
            lineRange: { start: 3, end: 4 },
            contextLines: 1,
        });

        expect(matches.map(({ line }) => line)).to.deep.equal([4]);
        expect(matches[0]?.context).to.deep.equal({ before: ["three"], after: [] });
    });

    it("A file given as the folder is searched as a file", async () => {
        const lineRange = { start: 3, end: 4 };
        expect((await search({ query: "foo", path: "src/a.ts" })).matches).to.have.length(2);
        expect(
            (await search({ query: "foo", path: "src/a.ts", lineRange })).matches
        ).to.have.length(1);
    });

    it("The pattern is a regular expression only on request", async () => {
        expect((await search({ query: "fo+ " })).matches).to.have.length(0);
        expect((await search({ query: "fo+ ", regex: true })).matches).to.have.length(2);
    });

    it("Contradictory input is refused", async () => {
        const lineRange = { start: 1, end: 2 };
        expect(await codeOf({ query: "a", path: "src", file: "src/a.ts" })).to.equal(
            "invalid-input"
        );
        expect(await codeOf({ query: "a", lineRange })).to.equal("invalid-input");
        expect(
            await codeOf({ query: "a", file: "src/a.ts", lineRange: { start: 2, end: 1 } })
        ).to.equal("invalid-input");
        expect(await codeOf({ query: "(", regex: true })).to.equal("invalid-pattern");
    });

    it("The digest of a search has the first 10 matches and the total, unless a limit was given", async () => {
        const match = { path: "a.ts", line: 1, column: 1, preview: "foo" };
        const matches = Array.from({ length: 12 }, (_, index) => ({ ...match, line: index + 1 }));
        const data = { matches, truncated: true, total: 99 };

        expect(searchText.digest?.(data, { query: "foo" })).to.deep.equal({
            data: { matches: matches.slice(0, 10), truncated: true, total: 99 },
            note: "The first 10 of 99 matches.",
        });
        expect(searchText.digest?.(data, { query: "foo", limit: 20 })).to.equal(undefined);
        expect(
            searchText.digest?.({ matches, truncated: true, total: 50 }, { query: "a" })
        ).to.equal(undefined);
    });

    it("The summary of a search takes a few words", () => {
        const match = { path: "a.ts", line: 1, column: 1, preview: "foo" };
        const input = { query: "foo" };
        expect(searchText.summary?.({ matches: [match], truncated: false }, input)).to.equal(
            "1 match"
        );
        expect(searchText.summary?.({ matches: [match], truncated: true }, input)).to.equal(
            "1 match+"
        );
        expect(
            searchText.summary?.({ matches: [match], truncated: true, total: 12 }, input)
        ).to.equal("12 matches");
    });

    it("The intent line shows on one line what is searched and where", () => {
        expect(searchText.intent({ query: "foo", path: "src" })).to.equal(
            'Searching "foo" in src/'
        );
        expect(searchText.intent({ query: "a\nb" })).to.equal('Searching "a b"');
        expect(
            searchText.intent({ query: "foo", file: "a.ts", lineRange: { start: 10, end: 60 } })
        ).to.equal('Searching "foo" in a.ts 10-60');
    });
});
