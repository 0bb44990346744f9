/**
 * Completeness and precision of symbols, measured against Universal Ctags on whatever sources this
 * machine has, and the speed of an outline.
 *
 * Recall: the share of ctags' definitions of a counted kind (`counted` below) that North finds
 * under the same name on the same line. Precision: the share of North's symbols that ctags knows by
 * that name on that line, as any kind. Differences in kind are ignored:
 * - local variables, plain constants, enumerators and fields are not symbols in North;
 * - North's properties and constants are covered by test fixtures, because ctags' parsers disagree
 *   on which of them to report;
 * - names that ctags invents (`__anon1`, `anonymousFunction`), imported names it calls aliases, and
 *   files in which it finds nothing.
 * For TypeScript and JavaScript ctags 5.9 misses private members and overloads, gives up in the
 * middle of files, and files objects under classes. There the TypeScript compiler's tree is the
 * oracle: it defines what to find (plus what ctags finds and it confirms) and what is right. In
 * Java ctags takes calls for methods and misses whole classes; the JDK's parser is the only oracle.
 *
 * `NORTH_BENCH_SOURCES=/folder:/other` adds folders to search for sources, in every language.
 * `NORTH_BENCH_DIFFERENCES=1` prints each difference: `-` not found, `+` not confirmed.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { readStructure } from "../src/code/structure.js";
import { symbolsOf, type CodeSymbol } from "../src/code/symbols.js";
import type { BenchRow } from "./measure.js";
import { corpora, sourceFiles, type Corpus } from "./source-corpora.js";
import { keyOf, oraclesOf, type Oracle } from "./symbol-oracles.js";

interface Score {
    files: number;
    expected: number;
    recalled: number;
    reported: number;
    confirmed: number;
}

const run = promisify(execFile);
const MIN_RECALL = 0.97;
const MIN_PRECISION = 0.95;
const MAX_OUTLINE_MS = 400;

function addToScore(
    score: Score,
    file: string,
    { expected, known }: Oracle,
    symbols: readonly CodeSymbol[]
): void {
    const found = new Set(symbols.map(keyOf));
    const judged = new Set(
        symbols
            .filter(({ type, name }) => !/^(?:property|const)$/.test(type) && name !== "default")
            .map(keyOf)
    );
    const missing = [...expected].filter((key) => !found.has(key));
    const unconfirmed = [...judged].filter((key) => !known.has(key));
    score.files++;
    score.expected += expected.size;
    score.recalled += expected.size - missing.length;
    score.reported += judged.size;
    score.confirmed += judged.size - unconfirmed.length;
    if (process.env.NORTH_BENCH_DIFFERENCES === undefined) return;
    for (const key of missing) process.stderr.write(`- ${file}:${key}\n`);
    for (const key of unconfirmed) process.stderr.write(`+ ${file}:${key}\n`);
}

function scoreRows(language: string, score: Score): BenchRow[] {
    const recall = score.recalled / score.expected;
    const precision = score.confirmed / score.reported;
    const what = `${language} symbols, ${score.files} files, ${score.expected} definitions`;
    return [
        {
            what: `${what}: recall`,
            value: recall.toFixed(3),
            bound: `>= ${MIN_RECALL}`,
            ok: recall >= MIN_RECALL,
        },
        {
            what: `${what}: precision`,
            value: precision.toFixed(3),
            bound: `>= ${MIN_PRECISION}`,
            ok: precision >= MIN_PRECISION,
        },
    ];
}

async function languageRows(corpus: Corpus): Promise<BenchRow[]> {
    const score: Score = { files: 0, expected: 0, recalled: 0, reported: 0, confirmed: 0 };
    for (const [file, oracle] of await oraclesOf(corpus, await sourceFiles(corpus))) {
        const { sections } = await readStructure(file, await readFile(file, "utf8"));
        addToScore(score, file, oracle, symbolsOf(sections));
    }
    if (score.expected > 0) return scoreRows(corpus.language, score);
    const what = `${corpus.language} symbols against ctags`;
    return [
        { what, value: "skipped: no sources (or no JDK) on this machine", bound: "-", ok: true },
    ];
}

/**
 * Generates ten thousand lines of ordinary TypeScript: classes, methods, types, functions,
 * decorators.
 */
function tenThousandLines(): string {
    const unit = (index: number) => `
/** Loads and keeps items of kind ${index}. */
@Injectable({ scope: "request" })
export class Service${index}<Item extends object> extends Base<Item> implements Port${index} {
    private readonly items = new Map<string, Item>();
    constructor(private readonly name: string, protected options: Options${index} = {}) {
        super(name);
    }
    async load(id: string, { force = false }: { force?: boolean } = {}): Promise<Item | undefined> {
        if (!force && this.items.has(id)) return this.items.get(id);
        const response = await fetch(\`/api/\${this.name}/\${id}\`);
        for (const [key, value] of Object.entries(await response.json())) {
            this.items.set(key, value as Item);
        }
        return this.items.get(id) ?? undefined;
    }
    get size(): number { return this.items.size; }
}
export interface Port${index} { size: number; load(id: string): Promise<unknown> }
export type Options${index} = { readonly retries?: number } | undefined;
export const make${index} = (name: string) => new Service${index}(name);
function helper${index}(values: readonly number[]): number {
    const total = values.map((value) => value * 2).reduce((a, b) => a + b, 0);
    return total > 10 ? total : values.length;
}
`;
    return Array.from({ length: 400 }, (_, index) => unit(index)).join("");
}

/** CPU time, best of several rounds, to exclude waiting for other processes. */
async function outlineRow(): Promise<BenchRow> {
    const text = tenThousandLines();
    const lines = text.split("\n").length - 1;
    await readStructure("warm-up.ts", "export const loaded = true;");
    const times: number[] = [];
    for (let round = 0; round < 7; round++) {
        // Vary the text: the parser would reuse an identical one.
        const fresh = `${text}// ${round}\n`;
        const start = process.cpuUsage();
        await readStructure("large.ts", fresh);
        const { user, system } = process.cpuUsage(start);
        times.push((user + system) / 1000);
    }
    const best = Math.min(...times);
    return {
        what: `outline of ${lines} lines of TypeScript, grammar loaded`,
        value: `${best.toFixed(0)} ms of CPU`,
        bound: `<= ${MAX_OUTLINE_MS} ms`,
        ok: best <= MAX_OUTLINE_MS,
    };
}

/** The rows of this part of `npm run bench`. */
export async function codeStructureRows(): Promise<BenchRow[]> {
    const rows = [await outlineRow()];
    const version = await run("ctags", ["--version"]).catch(() => undefined);
    if (version?.stdout.includes("Universal Ctags") !== true) {
        const value = "skipped: needs Universal Ctags (apt-get install universal-ctags)";
        return [...rows, { what: "symbols against ctags", value, bound: "-", ok: true }];
    }
    for (const corpus of corpora) rows.push(...(await languageRows(corpus)));
    return rows;
}
