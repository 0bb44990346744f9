import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { openWorkspace } from "../src/workspace/open-workspace.js";
import { median, processorTimeOfAll, ratioRow, wallTime, type BenchRow } from "./measure.js";

const SIZES = [
    { files: 50_000, runs: 5 },
    { files: 200_000, runs: 3 },
];
const NEEDLE = "needle_in_the_hay";
const LARGE_LINES = 1_000_000;
const FILES_IN_GROUP = 100;

/** Search and listing of large trees compared to plain ripgrep and git, in pairs. */
export async function* searchRows(): AsyncGenerator<BenchRow> {
    for (const size of SIZES) yield* withTree(size);
}

async function* withTree({ files, runs }: (typeof SIZES)[number]): AsyncGenerator<BenchRow> {
    const folder = mkdtempSync(path.join(tmpdir(), "north-bench-"));
    try {
        makeTree(folder, files);
        const row = (what: string, reference: Reference, bound: number, work: Work) =>
            measuredRow(`${what}, ${files.toLocaleString("en")} files`, reference, {
                ...{ folder, runs, bound, work },
            });
        const fresh = () => openWorkspace({ root: folder });
        const plain = () => openWorkspace({ root: folder, useRipgrep: false });
        const search = rg("--json", NEEDLE, ".");
        const list = rg("--files", "--iglob", "*7.ts", ".");
        const inFile = rg("--json", NEEDLE, "large.log");
        const limit = { limit: 50 };
        yield await row("first listing", git, 1.5, () => fresh().files());
        // Warm: a chat lists the files while the first message is typed.
        const known = fresh();
        yield await row("find_files", list, 1.5, () => known.find("*7.ts", limit));
        yield await row("search_text", search, 1.5, () => known.search(NEEDLE, limit));
        yield await row("search_text and first listing", search, 1.5, () =>
            fresh().search(NEEDLE, limit)
        );
        yield await row("search_text without ripgrep", search, 10, () =>
            plain().search(NEEDLE, limit)
        );
        yield await row("search_text in a file of 50 MB", inFile, 5, () =>
            known.search(NEEDLE, { ...limit, file: "large.log" })
        );
        makeIgnoreFilesDiffer(folder, files);
        yield await row("first listing, all ignore files different", git, Infinity, () =>
            fresh().files()
        );
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

type Work = () => Promise<unknown>;

interface Reference {
    readonly name: string;
    readonly program: string;
    readonly words: readonly string[];
}

const rg = (...words: string[]): Reference => ({ name: "plain rg", program: rgPath, words });
const git: Reference = {
    name: "git",
    program: "git",
    words: ["ls-files", "--cached", "--others", "--exclude-standard"],
};

async function measuredRow(
    what: string,
    { name, program, words }: Reference,
    options: { folder: string; runs: number; bound: number; work: Work }
): Promise<BenchRow> {
    const wall: number[] = [];
    const processor: number[] = [];
    for (let run = 0; run <= options.runs; run += 1) {
        const beginProcessor = processorTimeOfAll();
        const baseWall = await wallTime(program, words, { cwd: options.folder });
        const baseProcessor = processorTimeOfAll() - beginProcessor;
        const begin = performance.now();
        await options.work();
        if (run === 0) continue;
        wall.push((performance.now() - begin) / baseWall);
        processor.push((processorTimeOfAll() - beginProcessor - baseProcessor) / baseProcessor);
    }
    const row = ratioRow(`${what}, to ${name}`, wall, options.bound);
    return { ...row, value: `${row.value}, CPU ${median(processor).toFixed(2)} x` };
}

function makeTree(folder: string, files: number): void {
    for (let index = 0; index < files; index += 1) {
        const inner = groupOf(folder, files, index);
        if (index < files / FILES_IN_GROUP) {
            mkdirSync(inner, { recursive: true });
            writeFileSync(path.join(inner, ".gitignore"), "node_modules/\n*.log\n");
        }
        const needle = index % 5_000 === 0 ? `const ${NEEDLE} = 1;\n` : "";
        writeFileSync(
            path.join(inner, `file-${index}.ts`),
            `export const value${index} = ${index};\n${needle}${"// filler\n".repeat(20)}`
        );
    }
    const lines = Array.from({ length: LARGE_LINES }, (_, index) =>
        index % 100_000 === 0 ? NEEDLE : `a line of a large file, number ${index}, and nothing more`
    );
    writeFileSync(path.join(folder, "large.log"), lines.join("\n"));
    // Adds nothing: git would write as many objects, which takes minutes on a busy disk.
    execFileSync("git", ["init", "-q"], { cwd: folder });
}

function makeIgnoreFilesDiffer(folder: string, files: number): void {
    for (let index = 0; index < files / FILES_IN_GROUP; index += 1) {
        writeFileSync(
            path.join(groupOf(folder, files, index), ".gitignore"),
            `# Group ${index}\nnode_modules/\n*.log\n/dist-${index}/\nfile-${index}.ts\n`
        );
    }
}

function groupOf(folder: string, files: number, index: number): string {
    const group = index % (files / FILES_IN_GROUP);
    return path.join(folder, `part-${index % 50}`, `group-${group}`);
}
