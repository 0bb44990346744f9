import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { openWorkspace } from "../src/workspace/open-workspace.js";
import { ratioRow, wallTime, type BenchRow } from "./measure.js";

const SIZES = [
    { files: 50_000, runs: 5 },
    { files: 200_000, runs: 3 },
];
const NEEDLE = "needle_in_the_hay";
const LARGE_LINES = 1_000_000;

/** Search and listing of large trees against plain ripgrep and git, pair by pair. */
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
        const fast = () => openWorkspace({ root: folder });
        const plain = () => openWorkspace({ root: folder, useRipgrep: false });
        const search = rg("--json", NEEDLE, ".");
        const list = rg("--files", "--iglob", "*7.ts", ".");
        const inFile = rg("--json", NEEDLE, "large.log");
        const find = { limit: 50 };
        yield await row("first listing", git, 1.5, () => fast().files());
        yield await row("search_text", search, 1.5, () => fast().search(NEEDLE, find));
        yield await row("search_text without ripgrep", search, 10, () =>
            plain().search(NEEDLE, find)
        );
        yield await row("search_text in a file of 50 MB", inFile, 5, () =>
            fast().search(NEEDLE, { ...find, file: "large.log" })
        );
        yield await row("find_files", list, 1.5, () => fast().find("*7.ts", find));
        yield await row("find_files without ripgrep", list, 10, () => plain().find("*7.ts", find));
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
    const ratios: number[] = [];
    for (let run = 0; run <= options.runs; run += 1) {
        const base = await wallTime(program, words, { cwd: options.folder });
        const begin = performance.now();
        await options.work();
        if (run > 0) ratios.push((performance.now() - begin) / base);
    }
    return ratioRow(`${what}, to ${name}`, ratios, options.bound);
}

function makeTree(folder: string, files: number): void {
    const folders = files / 100;
    for (let index = 0; index < files; index += 1) {
        const inner = path.join(folder, `part-${index % 50}`, `group-${index % folders}`);
        if (index < folders) {
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
    // Nothing is added: git would write as many objects, which takes minutes on a busy disk.
    execFileSync("git", ["init", "-q"], { cwd: folder });
}
