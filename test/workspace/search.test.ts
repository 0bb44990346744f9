import { expect } from "chai";
import fc from "fast-check";
import { chmodSync, symlinkSync } from "node:fs";
import { isExpectedError } from "../../src/base/north-error.js";
import type { SearchOptions, SearchResult } from "../../src/plugin/workspace.js";
import { openWorkspace } from "../../src/workspace/open-workspace.js";
import { searchWithJavaScript } from "../../src/workspace/search/javascript-search.js";
import { searchWithRipgrep } from "../../src/workspace/search/ripgrep-search.js";
import { patient } from "../helpers/patience.js";
import { sampled } from "../helpers/sample.js";
import {
    git,
    makeFolder,
    makeRepository,
    refusal,
    writeTree,
    type Tree,
    PROPERTY_RUNS,
} from "./make-folder.js";

const BYTE_ORDER_MARK = "\uFEFF";

/** Searches with both engines, which must agree, and gives their answer. */
async function searchBoth(
    root: string,
    query: string,
    options: Partial<SearchOptions> = {}
): Promise<SearchResult> {
    const [ripgrep, javascript] = await Promise.all(
        [true, false].map((useRipgrep) =>
            openWorkspace({ root, useRipgrep }).search(query, { limit: 50, ...options })
        )
    );
    expect(javascript).to.deep.equal(ripgrep);
    return ripgrep!;
}

/** `path:line:column` of what is found in these files. */
async function places(
    tree: Tree,
    query: string,
    options: Partial<SearchOptions> = {}
): Promise<readonly string[]> {
    const { matches } = await searchBoth(makeFolder(tree), query, options);
    return matches.map(({ path, line, column }) => `${path}:${line}:${column}`);
}

const regex = { regex: true } as const;

/** A long line as a search shows it. */
const shown = (line: string) => (line.length > 300 ? `${line.slice(0, 300)}…` : line);

describe("Text search", () => {
    it("Matches have path, line, column and text, sorted by path and line", async () => {
        const root = makeFolder({ "b.txt": "one\ntwo two\n", "a/c.txt": "x two", "a.txt": "two" });
        expect(await searchBoth(root, "two")).to.deep.equal({
            matches: [
                { path: "a.txt", line: 1, column: 1, preview: "two" },
                { path: "a/c.txt", line: 1, column: 3, preview: "x two" },
                { path: "b.txt", line: 2, column: 1, preview: "two two" },
            ],
            truncated: false,
            total: 3,
        });
    });

    it("A search is case-sensitive and takes every character literally", async () => {
        const tree = { a: "A.B\na.b\naxb\n" };
        expect(await places(tree, "a.b")).to.deep.equal(["a:2:1"]);
        expect(await places({ a: "x(y[*\\\n" }, "(y[*\\")).to.deep.equal(["a:1:2"]);
    });

    it("Text that starts with a dash is not an option", async () => {
        const tree = { a: "--files -e x\n-\n" };
        expect(await places(tree, "--files")).to.deep.equal(["a:1:1"]);
        expect(await places(tree, "-e")).to.deep.equal(["a:1:9"]);
        expect(await places(tree, "-")).to.deep.equal(["a:1:1", "a:2:1"]);
        expect(await places(tree, "--?f", regex)).to.deep.equal(["a:1:1"]);
    });

    it("Columns count characters, however many bytes they take", async () => {
        expect(await places({ a: "äöü x\n", b: "😀😀x\n", "ü é.txt": "日本x" }, "x")).to.deep.equal(
            ["a:1:5", "b:1:3", "ü é.txt:1:3"]
        );
    });

    it("Lines that end in CRLF are searched and shown without it", async () => {
        const root = makeFolder({ a: "one\r\ntwo\r\n\r\n" });
        const { matches } = await searchBoth(root, "two", { contextLines: 1 });
        expect(matches).to.deep.equal([
            {
                path: "a",
                line: 2,
                column: 1,
                preview: "two",
                context: { before: ["one"], after: [""] },
            },
        ]);
    });

    it("A byte order mark is not counted", async () => {
        const root = makeFolder({ a: `${BYTE_ORDER_MARK}one two\n` });
        const { matches } = await searchBoth(root, "two");
        expect(matches[0]).to.include({ column: 5, preview: "one two" });
    });

    it("Text with invalid UTF-8 is searched", async () => {
        const root = makeFolder({ a: Buffer.from("caf\xe9 x\nna\xefve x\n", "latin1") });
        const { matches } = await searchBoth(root, "x");
        expect(matches.map(({ column, preview }) => [column, preview])).to.deep.equal([
            [6, "caf\uFFFD x"],
            [7, "na\uFFFDve x"],
        ]);
    });

    it("Binary files are skipped, wherever their NUL is", async () => {
        const late = Buffer.from(`x\n${"no such text\n".repeat(300_000)}\0`);
        const tree = { early: "x\0", late, text: "x" };
        const root = makeFolder(tree);
        expect((await searchBoth(root, "x")).matches.map(({ path }) => path)).to.deep.equal([
            "text",
        ]);
        expect((await searchBoth(root, "x", { file: "late" })).total).to.equal(0);
    });

    it("A line of any length is searched and cut around its match", async () => {
        const line = `${"a".repeat(700_000)}needle${"b".repeat(300_000)}`;
        const { matches } = await searchBoth(makeFolder({ long: `${line}\nneedle\n` }), "needle");
        expect(matches[0]).to.include({ line: 1, column: 700_001 });
        expect(matches[0]?.preview)
            .to.match(/^…a+needleb+…$/)
            .and.have.length.below(310);
        expect(matches[1]).to.include({ line: 2, column: 1, preview: "needle" });
    });

    it("A cut never breaks a character", async () => {
        for (const shift of ["", "x"]) {
            const line = `${shift}${"😀".repeat(500)}needle${"😀".repeat(500)}`;
            const { matches } = await searchBoth(makeFolder({ a: line }), "needle");
            expect(matches[0]?.preview).to.match(/^…(😀)+needle(😀)+…$/u);
            expect(matches[0]?.column).to.equal(501 + shift.length);
        }
    });

    it("Files that are too large to read are searched", async () => {
        const filler = Buffer.alloc(12 * 1024 * 1024, "0123456789abcde\n");
        const root = makeFolder({ large: Buffer.concat([filler, Buffer.from("needle\n")]) });
        const { matches } = await searchBoth(root, "needle", { contextLines: 1 });
        expect(matches).to.deep.equal([
            {
                path: "large",
                line: filler.length / 16 + 1,
                column: 1,
                preview: "needle",
                context: { before: ["0123456789abcde"], after: [] },
            },
        ]);
    });

    it("The result is limited and includes the total", async () => {
        const root = makeFolder({ a: "x\n".repeat(30), b: "x\n".repeat(70), c: "y" });
        const result = await searchBoth(root, "x", { limit: 40 });
        expect(result).to.include({ truncated: true, total: 100 });
        expect(result.matches.map(({ path }) => path).join("")).to.equal(
            "a".repeat(30) + "b".repeat(10)
        );
        expect(await searchBoth(root, "x", { limit: 100 })).to.include({ truncated: false });
    });

    it("Context lines are returned, also when matches are close together", async () => {
        const root = makeFolder({ a: "1\n2 x\n3 x\n4\n5\n6 x" });
        const { matches } = await searchBoth(root, "x", { contextLines: 2 });
        expect(matches.map(({ context }) => context)).to.deep.equal([
            { before: ["1"], after: ["3 x", "4"] },
            { before: ["1", "2 x"], after: ["4", "5"] },
            { before: ["4", "5"], after: [] },
        ]);
        const first = await searchBoth(root, "x", { contextLines: 2, limit: 1 });
        expect(first.matches).to.deep.equal(matches.slice(0, 1));
    });

    it("A search covers a folder, one file or a range of its lines", async () => {
        const root = makeFolder({ "a/b": "x", "a/c/d": "x\nx\nx\nx", "a b/e": "x", ab: "x" });
        const found = async (options: Partial<SearchOptions>) => {
            const { matches, total } = await searchBoth(root, "x", options);
            expect(total).to.equal(matches.length);
            return matches.map(({ path, line }) => `${path}:${line}`);
        };
        expect(await found({ path: "a b" })).to.deep.equal(["a b/e:1"]);
        expect(await found({ path: "a/c/" })).to.have.length(4);
        expect(await found({ path: root })).to.have.length(7);
        expect(await found({ file: "ab" })).to.deep.equal(["ab:1"]);
        const lineRange = { start: 2, end: 3 };
        expect(await found({ file: "a/c/d", lineRange })).to.deep.equal(["a/c/d:2", "a/c/d:3"]);
    });

    it("A common word in one file is counted to its end, and its context shown", async () => {
        const text = "\uFEFF" + "one word\r\nother\n".repeat(100_000);
        const root = makeFolder({ "a.txt": text, "b.txt": `${text}\0` });
        const inFile = (file: string) =>
            searchBoth(root, "word", { file, limit: 2, contextLines: 1 });
        expect(await inFile("a.txt")).to.deep.equal({
            matches: [
                { line: 1, context: { before: [], after: ["other"] } },
                { line: 3, context: { before: ["other"], after: ["other"] } },
            ].map((each) => ({ path: "a.txt", column: 5, preview: "one word", ...each })),
            truncated: true,
            total: 100_000,
        });
        expect((await inFile("b.txt")).total).to.equal(0);
    });

    it("Context is shown whole where its lines are longer than what is read at once", async () => {
        const [first, second, last] = ["a".repeat(20_000), "b".repeat(9_000), "c".repeat(400)];
        const text = `${"early\n".repeat(2_000)}${first}\n${second}\nneedle\n${last}\nend`;
        const root = makeFolder({ a: text });
        for (const where of [{}, { file: "a" }]) {
            const { matches } = await searchBoth(root, "needle", { ...where, contextLines: 3 });
            const before = ["early", first, second].map(shown);
            const after = [last, "end"].map(shown);
            expect(matches[0]).to.deep.include({ line: 2_003, context: { before, after } });
        }
    });

    it("Ignored files are left out, but tracked ones are searched", async () => {
        const root = makeRepository({
            ".gitignore": "*.log\n/out/\n{a,b}\n",
            "x.log": "x",
            "kept.log": "x",
            "out/y": "x",
            "src/out/z": "x",
            "node_modules/m": "x",
            "strange/a[1]{2}!/q.log": "x",
            a: "x",
            ".hidden": "x",
        });
        git(root, "add", "--force", "kept.log");
        const { matches, total } = await searchBoth(root, "x");
        const expected = [".hidden", "a", "kept.log", "src/out/z"];
        expect(matches.map(({ path }) => path)).to.deep.equal(expected);
        expect(total).to.equal(4);
    });

    it("Links are not followed, and unreadable files are skipped", async () => {
        const root = makeFolder({ a: "x", closed: "x" });
        symlinkSync("a", `${root}/link`);
        symlinkSync("/etc", `${root}/etc`);
        chmodSync(`${root}/closed`, 0o000);
        const { matches } = await searchBoth(root, "x");
        // The superuser may read everything.
        const readable = matches.map(({ path }) => path).filter((path) => path !== "closed");
        expect(readable).to.deep.equal(["a"]);
    });

    it("Invalid input is refused", async () => {
        const root = makeFolder({ a: "x" });
        const workspace = openWorkspace({ root });
        const code = (query: string, options: Partial<SearchOptions>) =>
            refusal(() => workspace.search(query, { limit: 5, ...options }));
        expect(await code("", {})).to.equal("invalid-pattern");
        expect(await code("a\nb", {})).to.equal("invalid-pattern");
        expect(await code("a\0b", {})).to.equal("invalid-pattern");
        expect(await code("x", { file: "a", path: "." })).to.equal("invalid-input");
        expect(await code("x", { lineRange: { start: 1, end: 2 } })).to.equal("invalid-input");
        expect(await code("x", { path: "a" })).to.equal("not-a-folder");
        expect(await code("x", { path: "no" })).to.equal("not-found");
        expect(await code("x", { path: ".." })).to.equal("outside-repository");
        expect(await code("x", { file: "../a" })).to.equal("outside-repository");
    });

    it("A cancel ends a search at once", async () => {
        const root = makeFolder({ a: "x" });
        for (const useRipgrep of [true, false]) {
            const workspace = openWorkspace({ root, useRipgrep });
            const controller = new AbortController();
            const search = workspace.search("x", { limit: 5, signal: controller.signal });
            controller.abort(new Error("enough"));
            const error = await search.catch((reason: unknown) => reason);
            expect(error).to.have.property("message", "enough");
        }
    });
});

describe("Regular expression search", () => {
    const cases: readonly (readonly [query: string, text: string, found: readonly string[]])[] = [
        ["^two$", "two\r\ntwo\n two\ntwo", ["1:1", "2:1", "4:1"]],
        ["^one", `${BYTE_ORDER_MARK}one\none`, ["1:1", "2:1"]],
        ["^.$", `${BYTE_ORDER_MARK}a\n`, ["1:1"]],
        ["x.$", "x\r\nxy\r\n", ["2:1"]],
        ["\\s+$", "a\r\nb \r\nc\t\n", ["2:2", "3:2"]],
        ["^\\s*$", "a\r\n\r\n \nb", ["2:1", "3:1"]],
        ["x*", "a\n\nb", ["1:1", "2:1", "3:1"]],
        ["\\bfoo\\b", "foo\nfoobar\nfoo_\n(foo)", ["1:1", "4:2"]],
        ["a\\Bb", "ab\na b", ["1:1"]],
        ["[[:alpha:]]\\D", "a1\nab\n", ["2:1"]],
        ["[^\\W_]", "_\n-a\n", ["2:2"]],
        ["[\\D]", "1\n1a", ["2:2"]],
        ["[\\]a-c\\-]", "]\n-\nd\nb", ["1:1", "2:1", "4:1"]],
        ["[]x]", "]", ["1:1"]],
        ["[[a]", "[", ["1:1"]],
        ["(?i)straße|[a-c]x", "STRASSE\nSTRAßE\nBX", ["2:1", "3:1"]],
        ["(?i)k", "\u212a", ["1:1"]],
        ["(?i:a)b", "Ab\nAB", ["1:1"]],
        ["(?i)a(?-i)b", "Ab\nAB", ["1:1"]],
        ["\\p{Greek}\\pL\\P{L}", "αβ1\nab1", ["1:1"]],
        ["[^\\p{L}]\\p{Lu}", "aB\n1B", ["2:1"]],
        ["[\\P{L}a]b", "ab\ncb\n1b", ["1:1", "3:1"]],
        ["(?P<n>a)(?<m>b)(?:c)", "abc", ["1:1"]],
        ["a{2}b{1,}c{0,1}", "ab\naabb", ["2:1"]],
        ["a{x}{", "a{x}{", ["1:1"]],
        ["\\Qa.b|\\E+", "a.b||\naxb", ["1:1"]],
        ["\\x41\\x{1F600}\\102", "A😀B", ["1:1"]],
        ["😀.", "a😀😀", ["1:2"]],
        [" #-~&", "a #-~&", ["1:2"]],
        ["a|^$|b{2,3}?", "bb\n\nc\nca", ["1:1", "2:1", "4:2"]],
        ["[^\\n]b", "ab\nb", ["1:1"]],
        ["(a+)+$", `${"a".repeat(5000)}!\n`, []],
    ];

    for (const [query, text, found] of sampled(cases, 10)) {
        it(`Both engines find ${query} in the same places`, async () => {
            const expected = found.map((place) => `a:${place}`);
            expect(await places({ a: text }, query, regex)).to.deep.equal(expected);
        });
    }

    const hostile = { query: "\\p{L}{500}".repeat(20), line: "é".repeat(150_000) };

    for (const useRipgrep of [true, false]) {
        it(`A pattern that would take minutes ends with its cancel ${useRipgrep ? "with" : "without"} ripgrep`, async () => {
            const root = makeFolder({ a: hostile.line });
            const controller = new AbortController();
            const search = openWorkspace({ root, useRipgrep }).search(hostile.query, {
                ...regex,
                limit: 5,
                signal: controller.signal,
            });
            setTimeout(() => controller.abort(new Error("enough")), 200);
            const error = await search.catch((reason: unknown) => reason);
            expect(error).to.have.property("message", "enough");
        });
    }

    it("A search that reaches its time limit says so", async () => {
        const root = makeFolder({ a: hostile.line });
        const workspace = openWorkspace({ root, useRipgrep: false, searchLimitMs: 500 });
        for (const where of [{}, { file: "a" }]) {
            const search = () => workspace.search(hostile.query, { ...regex, ...where, limit: 5 });
            expect(await refusal(search)).to.equal("timeout");
        }
    });

    for (const [query, place] of [
        ["a(b", 2],
        ["ab)c", 3],
        ["x[abc", 2],
        ["ab*c**", 5],
        ["a(?=b)", 2],
        ["(a)\\1", 4],
        ["ab\\n", 3],
        ["a\\", 2],
        ["a{1001}", 2],
        ["\\p{Nonsense}", 1],
    ] as const) {
        it(`The error of ${query} says where it is wrong`, async () => {
            const workspace = openWorkspace({ root: makeFolder({ a: "x" }) });
            const error = await workspace
                .search(query, { limit: 5, regex: true })
                .catch((reason: unknown) => reason);
            expect(isExpectedError(error) && error.code).to.equal("invalid-pattern");
            expect(error).to.have.property("message").that.includes(`at character ${place}:`);
        });
    }

    const shared = ["a", "b", ".", "[ab]", "[^a]", "^", "$", "-"];
    const classes = ["\\w", "\\d", "\\s", "\\W", "\\S", "[^\\s]", "[\\Wa]", "\\b"];
    const letters = ["ä", "\\pL", "\\P{L}", "[^\\P{L}b]", "😀", "\\x{e4}"];
    const characters = ["a", "b", "A", "1", " ", "_", "-", "\n", "\n", "\r\n", "\t"];

    // Ripgrep's classes are those of Unicode, those of RE2 of ASCII.
    for (const [kind, atoms, text] of [
        ["with classes in ASCII text", [...shared, ...classes], characters],
        ["without classes in any text", [...shared, ...letters], [...characters, "ä", "😀"]],
    ] as const) {
        it(`Both engines find the same for any expression ${kind}`, async function () {
            this.timeout(patient(20_000 + PROPERTY_RUNS * 500));
            const repeats = fc.constantFrom("", "", "", "*", "+", "?", "{2}");
            const expression = fc
                .array(fc.tuple(fc.constantFrom(...atoms), repeats), { minLength: 1, maxLength: 4 })
                .map((parts) => parts.map(([part, repeat]) => part + repeat).join(""));
            const query = fc.oneof(
                expression,
                fc.tuple(expression, expression).map(([left, right]) => `(?:${left}|${right})`),
                expression.map((inner) => `(?i)${inner}`)
            );
            const content = fc
                .tuple(
                    fc.constantFrom("", BYTE_ORDER_MARK),
                    fc.array(fc.constantFrom(...text), { maxLength: 12 })
                )
                .map(([mark, parts]) => mark + parts.join(""));
            const contents = fc.array(content, { minLength: 5, maxLength: 5 });
            const root = makeFolder();
            const tree = { folder: "", ignored: [], isAllowed: () => true };
            await fc.assert(
                fc.asyncProperty(query, contents, async (each, texts) => {
                    const written = Object.fromEntries(texts.map((one, at) => [`f${at}`, one]));
                    writeTree(root, written);
                    const files = Object.keys(written);
                    const search = { query: each, isRegex: true, root, files, limit: 3 };
                    const ripgrep = await searchWithRipgrep(
                        search,
                        { limitMs: patient(10_000) },
                        tree
                    );
                    const javascript = await searchWithJavaScript(search);
                    // Ripgrep does not tell the column of an empty match at the end of a file.
                    const places = ripgrep?.found.map((place, at) =>
                        place.start < 1_000 ? place : javascript.found[at]
                    );
                    expect(javascript).to.deep.equal({ found: places, total: ripgrep?.total });
                }),
                { numRuns: PROPERTY_RUNS }
            );
        });
    }
});
