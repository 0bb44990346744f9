import { expect } from "chai";
import fc from "fast-check";
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { sha256 } from "../../../../src/base/sha256.js";
import type { ContentStore } from "../../../../src/core/conversation/content-store.js";
import { mergeWriters } from "../../../../src/core/agent/changes/merge-writers.js";
import type { ChangedFile } from "../../../../src/plugin/index.js";
import { patient } from "../../../helpers/patience.js";
import { sampledRuns } from "../../../helpers/sample.js";
import { makeFolder } from "../../../workspace/make-folder.js";

/** Contents in memory; `of` stores a text and returns its hash. */
function memory() {
    const kept = new Map<string, Uint8Array>();
    const of = (text: string | Uint8Array | null) => {
        if (text === null) return null;
        const bytes = Buffer.from(text);
        kept.set(sha256(bytes), bytes);
        return sha256(bytes);
    };
    const contents: Pick<ContentStore, "get" | "put"> = {
        get: async (hash) => kept.get(hash) ?? Promise.reject(new Error(`no ${hash}`)),
        put: async (bytes) => of(bytes) ?? "",
    };
    const textOf = (hash: string | null | undefined) =>
        hash === null || hash === undefined ? hash : Buffer.from(kept.get(hash) ?? "").toString();
    return { of, contents, textOf };
}

type Texts = Readonly<Record<string, string | null>>;

/** What writers make of the same files; each names only what it changes. */
async function merged(base: Texts, ...writers: readonly Texts[]) {
    const { of, contents, textOf } = memory();
    const changed = (file: string, text: string | null): ChangedFile => ({
        path: file,
        beforeHash: of(base[file] ?? null),
        afterHash: of(text),
        ...(typeof base[file] === "string" && { modeBefore: 0o644 }),
        ...(text !== null && { modeAfter: 0o644 }),
    });
    const { files, conflicts } = await mergeWriters(
        writers.map((texts, index) => ({
            name: `task ${index + 1}`,
            files: new Map(
                Object.entries(texts).map(([file, text]) => [file, changed(file, text)])
            ),
        })),
        contents
    );
    const texts = Object.fromEntries(
        [...files.values()].map(({ path: file, afterHash }) => [file, textOf(afterHash)])
    );
    return { texts, conflicts };
}

describe("Merging what several sub-agents wrote", () => {
    it("Two writers of 15,000 new files each are merged", async () => {
        const writer = (folder: string): Texts =>
            Object.fromEntries(
                Array.from({ length: 15_000 }, (_, index) => [`${folder}/${index}.ts`, folder])
            );
        const { texts, conflicts } = await merged({}, writer("a"), writer("b"));
        expect(Object.keys(texts)).to.have.length(30_000);
        expect(conflicts).to.deep.equal([]);
    });

    it("Edits of different files and of different lines of one file are all kept", async () => {
        const base = { "a.ts": "1\n2\n3\n4\n5\n6\n7\n", "b.ts": "b\n" };
        const { texts, conflicts } = await merged(
            base,
            { "a.ts": "one\n2\n3\n4\n5\n6\n7\n", "b.ts": "B\n" },
            { "a.ts": "1\n2\n3\nfour\n5\n6\n7\n", "new.ts": "new\n" },
            { "a.ts": "1\n2\n3\n4\n5\n6\nseven\n" },
            { "a.ts": "1\n2\n3\n4\n5\n6\n7\n8\n".replace("7\n8", "7") }
        );
        expect(texts).to.deep.equal({
            "a.ts": "one\n2\n3\nfour\n5\n6\nseven\n",
            "b.ts": "B\n",
            "new.ts": "new\n",
        });
        expect(conflicts).to.deep.equal([]);
    });

    it("Two versions of a line are a conflict with both sides, who wrote them, and markers in the file", async () => {
        const { texts, conflicts } = await merged(
            { "a.ts": "1\n2\n3\n" },
            { "a.ts": "1\ntwo\n3\n" },
            { "a.ts": "1\nzwei\n3\n" }
        );
        expect(conflicts).to.deep.equal([
            {
                path: "a.ts",
                line: 2,
                sides: [
                    { by: "task 1", text: "two" },
                    { by: "task 2", text: "zwei" },
                ],
            },
        ]);
        expect(texts["a.ts"]).to.equal(
            "1\n<<<<<<< task 1\ntwo\n=======\nzwei\n>>>>>>> task 2\n3\n"
        );
    });

    it("Markers in a file with CRLF end like its lines, so that edits keep its line ends", async () => {
        const { texts } = await merged(
            { "a.ts": "1\r\n2" },
            { "a.ts": "1\r\ntwo" },
            { "a.ts": "1\r\nzwei" }
        );
        expect(texts["a.ts"]).to.equal(
            "1\r\n<<<<<<< task 1\r\ntwo\r\n=======\r\nzwei\r\n>>>>>>> task 2\r\n"
        );
    });

    it("The same change by two writers is no conflict", async () => {
        const { texts, conflicts } = await merged(
            { "a.ts": "1\n", "gone.ts": "x\n" },
            { "a.ts": "one\n", "gone.ts": null },
            { "a.ts": "one\n", "gone.ts": null }
        );
        expect(texts).to.deep.equal({ "a.ts": "one\n", "gone.ts": null });
        expect(conflicts).to.deep.equal([]);
    });

    for (const [what, first, second] of [
        ["deleted first", null, "changed\n"],
        ["deleted last", "changed\n", null],
    ] as const) {
        it(`A file that one writer changed and another deleted is kept and reported: ${what}`, async () => {
            const { texts, conflicts } = await merged(
                { "a.ts": "1\n" },
                { "a.ts": first },
                { "a.ts": second }
            );
            expect(texts).to.deep.equal({ "a.ts": "changed\n" });
            const sides = [first, second].map((text, index) => ({
                by: `task ${index + 1}`,
                text: text ?? "(deleted a.ts)",
            }));
            expect(conflicts).to.deep.equal([{ path: "a.ts", sides }]);
        });
    }

    it("A file where another writer needs a folder is a conflict, not a broken tree", async () => {
        const { texts, conflicts } = await merged(
            {},
            { lib: "a file\n" },
            { "lib/a.ts": "in a folder\n" }
        );
        expect(texts).to.deep.equal({ lib: "a file\n" });
        expect(conflicts).to.deep.equal([
            {
                path: "lib/a.ts",
                sides: [
                    { by: "task 1", text: "a file\n" },
                    { by: "task 2", text: "in a folder\n" },
                ],
            },
        ]);
    });

    it("A folder that one writer removed stays if another writes into it", async () => {
        const { contents, of } = memory();
        const hash = of("x\n");
        const folder = { path: "lib", type: "folder", beforeHash: sha256(""), afterHash: null };
        const removed: ChangedFile[] = [
            { ...folder, type: "folder" },
            { path: "lib/old.ts", beforeHash: hash, afterHash: null },
        ];
        const added: ChangedFile = { path: "lib/new.ts", beforeHash: null, afterHash: hash };
        const { files, conflicts } = await mergeWriters(
            [
                { name: "task 1", files: new Map(removed.map((file) => [file.path, file])) },
                { name: "task 2", files: new Map([["lib/new.ts", added]]) },
            ],
            contents
        );
        expect([...files.keys()].sort()).to.deep.equal(["lib/new.ts", "lib/old.ts"]);
        expect(conflicts).to.deep.equal([]);
    });

    it("A binary that two writers changed is kept as the first wrote it, and reported", async () => {
        const binary = (byte: number) => String.fromCharCode(0, 1, 2, 3, 4, 5, byte);
        const { texts, conflicts } = await merged(
            { "a.bin": binary(6) },
            { "a.bin": binary(14) },
            { "a.bin": binary(15) }
        );
        expect(texts).to.deep.equal({ "a.bin": binary(14) });
        expect(conflicts[0]?.sides.map(({ text }) => text)).to.deep.equal([
            "(binary, 7 bytes)",
            "(binary, 7 bytes)",
        ]);
    });

    it("One writer's mode and another's content are both kept", async () => {
        const { contents, of, textOf } = memory();
        const file = { path: "run.sh", beforeHash: of("1\n"), modeBefore: 0o644 };
        const [one, two] = [
            { ...file, afterHash: of("1\n"), modeAfter: 0o755 },
            { ...file, afterHash: of("2\n"), modeAfter: 0o644 },
        ];
        for (const writers of [
            [one, two],
            [two, one],
        ]) {
            const { files, conflicts } = await mergeWriters(
                writers.map((each, index) => ({
                    name: `task ${index}`,
                    files: new Map([["run.sh", each]]),
                })),
                contents
            );
            const written = files.get("run.sh");
            expect(written?.modeAfter).to.equal(0o755);
            expect(textOf(written?.afterHash)).to.equal("2\n");
            expect(conflicts).to.deep.equal([]);
        }
    });
});

/** One writer's edits of numbered lines: new text, or `null` to delete. */
type Edits = ReadonlyMap<number, string | null>;

const LINES = 40;
const BASE = Array.from({ length: LINES }, (_, index) => `line ${index}`);

function edited(edits: Edits): string {
    const lines = BASE.flatMap((line, index) => {
        const edit = edits.get(index);
        return edit === undefined ? line : (edit ?? []);
    });
    return `${lines.join("\n")}\n`;
}

describe("The merge of random writers", function () {
    this.timeout(patient(120_000));

    const writer = fc.uniqueArray(
        fc.tuple(fc.nat(LINES - 1), fc.constantFrom("new", "more", "gone", "same")),
        { maxLength: 4, selector: ([line]) => line }
    );
    /** Each writer's text is its own, except where all write the same. */
    const editsOf = (drawn: readonly (readonly [number, string])[], name: number): Edits =>
        new Map(
            drawn.map(([line, kind]) => {
                if (kind === "gone") return [line, null];
                if (kind === "same") return [line, `same ${line}`];
                const own = `${line} by writer ${name}`;
                return [line, kind === "more" ? `${own}\nand ${own}` : own];
            })
        );

    it("is what git merge-file makes of the same edits", async () => {
        const folder = makeFolder();
        execFileSync("git", ["--version"]);
        await fc.assert(
            fc.asyncProperty(fc.array(writer, { minLength: 2, maxLength: 4 }), async (drawn) => {
                const texts = drawn.map((each, index) => edited(editsOf(each, index + 1)));
                const base = edited(new Map());
                const [first = base, ...others] = texts;
                let isClean = true;
                let byGit = first;
                for (const text of others) {
                    const place = (name: string, content: string) => {
                        writeFileSync(path.join(folder, name), content);
                        return name;
                    };
                    const args = [place("mine", byGit), place("base", base), place("now", text)];
                    const { status, stdout } = spawnSync("git", ["merge-file", "-p", ...args], {
                        cwd: folder,
                        encoding: "utf8",
                    });
                    isClean &&= status === 0;
                    byGit = stdout;
                    if (!isClean) break;
                }
                const writers = texts.map((text): Texts => (text === base ? {} : { "a.ts": text }));
                const result = await merged({ "a.ts": base }, ...writers);
                expect(result.conflicts.length === 0).to.equal(isClean);
                if (isClean) expect(result.texts["a.ts"] ?? base).to.equal(byGit);
            }),
            { numRuns: sampledRuns(60) }
        );
    });

    it("loses nothing that a writer wrote: it is in the files, or in a conflict", async () => {
        const place = fc.constantFrom("a.ts", "b.ts", "lib", "lib/deep.ts", "new.ts");
        const change = fc.option(writer, { nil: null });
        const drawn = fc.array(
            fc.uniqueArray(fc.tuple(place, change), { selector: ([at]) => at }),
            {
                minLength: 2,
                maxLength: 4,
            }
        );
        const base: Texts = { "a.ts": edited(new Map()), "b.ts": edited(new Map()) };
        await fc.assert(
            fc.asyncProperty(drawn, async (writers) => {
                const edits = writers.map((changes, index) =>
                    changes
                        .filter(([at, made]) => made !== null || at in base)
                        .map(([at, made]) => [at, made && editsOf(made, index + 1)] as const)
                );
                const texts = edits.map((changes): Texts =>
                    Object.fromEntries(
                        changes.map(([at, made]) => [at, made && edited(made)] as const)
                    )
                );
                const result = await merged(base, ...texts);
                const kept = [
                    ...Object.values(result.texts),
                    ...result.conflicts.flatMap(({ sides }) => sides.map(({ text }) => text)),
                ].join("\n");
                for (const text of edits
                    .flat()
                    .flatMap(([, made]) => [...(made?.values() ?? [])])) {
                    if (text !== null) expect(kept).to.contain(text);
                }
            }),
            { numRuns: sampledRuns(500) }
        );
    });
});
