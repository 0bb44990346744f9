/**
 * How complete and how right the symbols are, against Universal Ctags on whatever sources this
 * machine has, and how fast an outline is.
 *
 * Recall: the share of what ctags takes for a definition of a kind that counts (`counted` below)
 * that North finds under the same name on the same line. Precision: the share of North's symbols
 * that ctags knows by that name on that line, as anything at all. What differs in kind is left out:
 * - local variables, plain constants, enumerators and fields are no symbols of North;
 * - North's properties and constants are judged by the fixtures of the tests, because the parsers
 *   of ctags disagree among each other on which of them to report;
 * - names that ctags makes up (`__anon1`, `anonymousFunction`), imported names it calls aliases, and
 *   files in which it finds nothing.
 * For TypeScript and JavaScript ctags 5.9 misses private members and overloads, gives up in the
 * middle of files, and files objects under classes. The TypeScript compiler's own tree judges
 * there: it says what is to be found, with what ctags finds and it confirms, and what is right.
 *
 * `NORTH_BENCH_DIFFERENCES=1` prints each difference: `-` not found, `+` not confirmed.
 */
import { execFile } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { readStructure } from "../src/builtin/code/structure.js";
import { symbolsOf, type CodeSymbol } from "../src/builtin/code/symbols.js";

/** One line of the report. */
export interface BenchRow {
    readonly what: string;
    readonly value: string;
    readonly bound: string;
    readonly ok: boolean;
}

interface Corpus {
    readonly language: string;
    readonly ctagsName: string;
    /** Long names of the ctags kinds that are definitions for North too. */
    readonly counted: readonly string[];
    readonly extension: RegExp;
    readonly folders: readonly string[];
    /** The TypeScript compiler reads it too and is the better judge. */
    readonly compiled?: true;
}

interface Tag {
    readonly name: string;
    readonly path: string;
    readonly line: number;
    readonly kind: string;
}

/** The definitions of a file by one key each: those to be found, and whatever is one at all. */
interface Oracle {
    readonly expected: ReadonlySet<string>;
    readonly known: ReadonlySet<string>;
}

interface Score {
    files: number;
    expected: number;
    recalled: number;
    reported: number;
    confirmed: number;
}

const run = promisify(execFile);
const MAX_FILES = 120;
const MAX_BYTES = 300_000;
const MIN_RECALL = 0.97;
const MIN_PRECISION = 0.95;
const MAX_OUTLINE_MS = 400;

const corpora: readonly Corpus[] = [
    {
        language: "TypeScript",
        ctagsName: "TypeScript",
        counted: [
            "function",
            "class",
            "interface",
            "enum",
            "method",
            "namespace",
            "generator",
            "alias",
        ],
        extension: /(?<!\.d)\.ts$/,
        folders: [
            "node_modules/@anthropic-ai/sdk/src",
            "node_modules/openai/src",
            "node_modules/ajv/lib",
            "node_modules/htmlparser2/src",
        ],
        compiled: true,
    },
    {
        language: "JavaScript",
        ctagsName: "JavaScript",
        counted: ["function", "class", "method", "generator", "getter", "setter"],
        extension: /\.[cm]?js$/,
        folders: [
            "node_modules/eslint/lib",
            "node_modules/mocha/lib",
            "node_modules/acorn/dist",
            "node_modules/ignore",
            "node_modules/@inquirer/core/dist",
        ],
        compiled: true,
    },
    {
        language: "Python",
        ctagsName: "Python",
        counted: ["class", "function", "member"],
        extension: /\.py$/,
        folders: ["/usr/lib/python3", "/usr/lib/python3.11", "/usr/lib/python3.12"],
    },
    {
        language: "Go",
        ctagsName: "Go",
        counted: ["func", "type", "struct", "interface", "methodSpec", "alias"],
        extension: /\.go$/,
        folders: [
            "/usr/lib/go",
            "/usr/local/go/src",
            "/usr/share/doc/git/contrib",
            "node_modules/flatted/golang",
        ],
    },
    {
        language: "Rust",
        ctagsName: "Rust",
        counted: [
            "module",
            "struct",
            "interface",
            "function",
            "enum",
            "macro",
            "method",
            "typedef",
        ],
        extension: /\.rs$/,
        folders: ["~/.cargo/registry/src", "~/.rustup/toolchains", "/usr/src"],
    },
    {
        language: "Java",
        ctagsName: "Java",
        counted: ["class", "interface", "enum", "method", "annotation"],
        extension: /\.java$/,
        folders: ["/usr/share", "/usr/lib/jvm", "/usr/src"],
    },
    {
        language: "C#",
        ctagsName: "C#",
        counted: ["class", "interface", "enum", "method", "struct", "namespace"],
        extension: /\.cs$/,
        folders: ["/usr/lib/node_modules/npm", "/usr/lib/dotnet"],
    },
    {
        language: "PHP",
        ctagsName: "PHP",
        counted: ["class", "interface", "function", "trait", "namespace"],
        extension: /\.php$/,
        folders: ["/usr/share/php", "/usr/lib/google-cloud-sdk/platform"],
    },
    {
        language: "C++",
        ctagsName: "C++",
        counted: [
            "class",
            "struct",
            "union",
            "enum",
            "function",
            "prototype",
            "typedef",
            "namespace",
        ],
        extension: /\.(?:h|hpp|cpp|cc)$/,
        folders: ["/usr/include/c++", "/usr/include/node", "/usr/include/boost", "/usr/include"],
    },
    {
        language: "Ruby",
        ctagsName: "Ruby",
        counted: ["class", "method", "module", "singletonMethod"],
        extension: /\.rb$/,
        folders: ["/usr/lib/ruby", "/usr/share/rubygems-integration", "/usr/share/ruby"],
    },
    {
        language: "Bash",
        ctagsName: "Sh",
        counted: ["function"],
        extension: /\.(?:sh|bash)$/,
        folders: ["/usr/share", "/usr/lib"],
    },
];

/** The regular files below a folder. Links are not followed: system folders have loops of them. */
async function* walk(folder: string): AsyncGenerator<string> {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const file = path.join(folder, entry.name);
        if (entry.isDirectory()) yield* walk(file);
        else if (entry.isFile()) yield file;
    }
}

/**
 * Sources of a language, spread evenly over each folder, the same on every run. Files of one name
 * and length are copies (one header for each processor) and count once.
 */
async function sourceFiles(corpus: Corpus): Promise<string[]> {
    const files: string[] = [];
    const seen = new Set<string>();
    for (const folder of corpus.folders) {
        const found: string[] = [];
        for await (const file of walk(folder.replace(/^~/, process.env.HOME ?? "~"))) {
            if (!corpus.extension.test(file) || file.includes(".min.")) continue;
            const { size } = await stat(file);
            const copy = `${path.basename(file)} ${size}`;
            if (size > MAX_BYTES || seen.has(copy)) continue;
            seen.add(copy);
            found.push(file);
        }
        const step = Math.max(1, Math.ceil(found.length / MAX_FILES));
        files.push(...found.filter((_file, index) => index % step === 0));
    }
    return files;
}

/** The tags of many files, by file. */
async function ctags(corpus: Corpus, files: readonly string[]): Promise<Map<string, Tag[]>> {
    const name = corpus.ctagsName;
    const format = ["--options=NONE", "--output-format=json", "--fields=+nK", "--extras="];
    const child = run(
        "ctags",
        [...format, `--language-force=${name}`, `--kinds-${name}=*`, "-f", "-", "-L", "-"],
        { maxBuffer: 512 * 1024 * 1024 }
    );
    child.child.stdin?.end(files.join("\n"));
    const { stdout } = await child;
    const byFile = new Map<string, Tag[]>();
    for (const line of stdout.split("\n")) {
        if (!line.startsWith("{")) continue;
        const tag = JSON.parse(line) as Tag;
        const tags = byFile.get(tag.path) ?? [];
        if (tags.length === 0) byFile.set(tag.path, tags);
        tags.push(tag);
    }
    return byFile;
}

/**
 * Names in one spelling: ctags writes `operator ++` and leaves out the `#` of private members, the
 * quotes and `:` of symbols, and the arguments of a specialised template.
 */
function keyOf({ name, line }: { readonly name: string; readonly line: number }): string {
    const plain = name.replace(/^(operator)\s+(?=\W)/, "$1").replace(/^#/, "");
    return `${line} ${/^operator/.test(plain) ? plain : plain.replace(/<.*>$/, "")}`;
}

/** Whether a tag is a definition. What ctags also files under the kinds that count is not. */
function isDefinition(corpus: Corpus, tag: Tag, line: string): boolean {
    if (!corpus.counted.includes(tag.kind) || /^__anon|^[Aa]nonymous/.test(tag.name)) return false;
    // Imported names are aliases too, and an object with functions in it is a "class".
    if (tag.kind === "alias" && corpus.ctagsName === "TypeScript") return /\btype\s/.test(line);
    if (tag.kind === "class" && corpus.ctagsName === "JavaScript") return /\bclass\b/.test(line);
    // `module.exports = function` has no name; "exports" is made up.
    return !(corpus.ctagsName === "JavaScript" && tag.name === "exports");
}

/** What the compiler takes for the name of a function, class, type or member that is one. */
function compilerName(node: ts.Node): ts.Node | undefined {
    if (ts.isConstructorDeclaration(node)) {
        return node.getChildren().find((child) => child.kind === ts.SyntaxKind.ConstructorKeyword);
    }
    if (
        ts.isFunctionLike(node) ||
        ts.isClassLike(node) ||
        ts.isInterfaceDeclaration(node) ||
        ts.isTypeAliasDeclaration(node) ||
        ts.isEnumDeclaration(node) ||
        ts.isModuleDeclaration(node)
    ) {
        return node.name;
    }
    const value =
        ts.isVariableDeclaration(node) ||
        ts.isPropertyDeclaration(node) ||
        ts.isPropertyAssignment(node)
            ? node.initializer
            : undefined;
    if (value !== undefined && "name" in node) {
        const isFunction = ts.isFunctionExpression(value) || ts.isArrowFunction(value);
        return isFunction || ts.isClassExpression(value) ? (node.name as ts.Node) : undefined;
    }
    return undefined;
}

/** The target of `exports.name = function () {}`, and what else may hold a function. */
function assignedName(node: ts.Node): ts.Node | undefined {
    if (!ts.isBinaryExpression(node)) return undefined;
    if (ts.isPropertyAccessExpression(node.left)) return node.left.name;
    if (ts.isElementAccessExpression(node.left)) return node.left.argumentExpression;
    return ts.isIdentifier(node.left) ? node.left : undefined;
}

/** The definitions the compiler sees: names beyond those a symbol has to be found for are known. */
function compilerOracle(file: string, text: string): Oracle {
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const expected = new Set<string>();
    const known = new Set<string>();
    const visit = (node: ts.Node): void => {
        const key = (name: ts.Node): string => {
            const { line } = source.getLineAndCharacterOfPosition(name.getStart(source));
            return keyOf({
                name: name.getText(source).replace(/^["'`]|["'`]$/g, ""),
                line: line + 1,
            });
        };
        const name = compilerName(node);
        const other = name ?? assignedName(node);
        const isType = ts.isTypeNode(node) || ts.isJSDoc(node) || ts.isParameter(node);
        if (name !== undefined && !isType) expected.add(key(name));
        if (other !== undefined) known.add(key(other));
        ts.forEachChild(node, visit);
    };
    visit(source);
    return { expected, known };
}

/** What ctags says; of what the compiler reads too, only what the two agree on. */
function oracleOf(corpus: Corpus, file: string, text: string, tags: readonly Tag[]): Oracle {
    const lines = text.split("\n");
    const counted = tags.filter((tag) => isDefinition(corpus, tag, lines[tag.line - 1] ?? ""));
    const tagged = { expected: new Set(counted.map(keyOf)), known: new Set(tags.map(keyOf)) };
    if (corpus.compiled === undefined) return tagged;
    const compiled = compilerOracle(file, text);
    const confirmed = [...tagged.expected].filter((key) => compiled.known.has(key));
    return {
        expected: new Set([...compiled.expected, ...confirmed]),
        known: compiled.known,
    };
}

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
    const tagsByFile = await ctags(corpus, await sourceFiles(corpus));
    for (const [file, tags] of tagsByFile) {
        const text = await readFile(file, "utf8");
        const { sections } = await readStructure(file, text);
        addToScore(score, file, oracleOf(corpus, file, text, tags), symbolsOf(sections));
    }
    if (score.expected > 0) return scoreRows(corpus.language, score);
    const what = `${corpus.language} symbols against ctags`;
    return [{ what, value: "skipped: no sources on this machine", bound: "-", ok: true }];
}

/** Ten thousand lines of ordinary TypeScript: classes, methods, types, functions, decorators. */
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

/** In CPU time, the best of several rounds: waiting for other processes says nothing. */
async function outlineRow(): Promise<BenchRow> {
    const text = tenThousandLines();
    const lines = text.split("\n").length - 1;
    await readStructure("warm-up.ts", "export const loaded = true;");
    const times: number[] = [];
    for (let round = 0; round < 7; round++) {
        const start = process.cpuUsage();
        await readStructure("large.ts", text);
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
