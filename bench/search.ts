import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { openWorkspace } from "../src/workspace/open-workspace.js";
import { ratioRow, wallTime, type BenchRow } from "./measure.js";

const FILES = 50_000;
const RUNS = 5;

/** Search and listing of a large tree against plain ripgrep, pair by pair. */
export async function searchRows(): Promise<BenchRow[]> {
    const folder = mkdtempSync(path.join(tmpdir(), "north-bench-"));
    try {
        makeTree(folder);
        const fast = () => openWorkspace({ root: folder });
        const plain = () => openWorkspace({ root: folder, useRipgrep: false });
        const search = ["--json", "needle_in_the_hay", "."];
        const list = ["--files", "--iglob", "*7.ts", "."];
        return [
            await row("search_text on 50,000 files", folder, search, 1.5, () =>
                fast().search("needle_in_the_hay", { limit: 50 })
            ),
            await row("search_text without ripgrep", folder, search, 10, () =>
                plain().search("needle_in_the_hay", { limit: 50 })
            ),
            await row("find_files on 50,000 files", folder, list, 1.5, () =>
                fast().find("*7.ts", { limit: 50 })
            ),
            await row("find_files without ripgrep", folder, list, 10, () =>
                plain().find("*7.ts", { limit: 50 })
            ),
        ];
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

async function row(
    what: string,
    folder: string,
    words: readonly string[],
    bound: number,
    measure: () => Promise<unknown>
): Promise<BenchRow> {
    const ratios: number[] = [];
    for (let run = 0; run <= RUNS; run += 1) {
        const base = await wallTime(rgPath, words, { cwd: folder });
        const begin = performance.now();
        await measure();
        if (run > 0) ratios.push((performance.now() - begin) / base);
    }
    return ratioRow(`${what}, to plain rg`, ratios, bound);
}

function makeTree(folder: string): void {
    for (let index = 0; index < FILES; index += 1) {
        const inner = path.join(folder, `part-${index % 50}`, `group-${index % 500}`);
        if (index < 500) mkdirSync(inner, { recursive: true });
        const needle = index % 5_000 === 0 ? "const needle_in_the_hay = 1;\n" : "";
        writeFileSync(
            path.join(inner, `file-${index}.ts`),
            `export const value${index} = ${index};\n${needle}${"// filler\n".repeat(20)}`
        );
    }
}
