import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import type { Corpus } from "./source-corpora.js";

interface Tag {
    readonly name: string;
    readonly path: string;
    readonly line: number;
    readonly kind: string;
}

/** The definitions of a file, one key each: `expected` must be found, `known` may be. */
export interface Oracle {
    readonly expected: ReadonlySet<string>;
    readonly known: ReadonlySet<string>;
}

const run = promisify(execFile);

/** Returns a command's output when given file names on stdin. */
async function withInput(
    command: string,
    words: readonly string[],
    files: readonly string[]
): Promise<string> {
    const child = run(command, words, { maxBuffer: 512 * 1024 * 1024 });
    child.child.stdin?.end(files.join("\n"));
    return (await child).stdout;
}

/** Runs ctags on many files; returns tags by file. */
async function ctags(corpus: Corpus, files: readonly string[]): Promise<Map<string, Tag[]>> {
    const name = corpus.ctagsName;
    const format = ["--options=NONE", "--output-format=json", "--fields=+nK", "--extras="];
    const stdout = await withInput(
        "ctags",
        [...format, `--language-force=${name}`, `--kinds-${name}=*`, "-f", "-", "-L", "-"],
        files
    );
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
 * Normalizes names: ctags writes `operator ++`, and omits the `#` of private members, the quotes
 * and `:` of symbols, and template arguments.
 */
export function keyOf({ name, line }: { readonly name: string; readonly line: number }): string {
    const plain = name.replace(/^(operator)\s+(?=\W)/, "$1").replace(/^#/, "");
    return `${line} ${/^operator/.test(plain) ? plain : plain.replace(/<.*>$/, "")}`;
}

/** Whether a tag is a definition; ctags also puts other things under the counted kinds. */
function isDefinition(corpus: Corpus, tag: Tag, line: string): boolean {
    if (!corpus.counted.includes(tag.kind) || /^__anon|^[Aa]nonymous/.test(tag.name)) return false;
    // Imported names are aliases too, and an object with functions is a "class".
    if (tag.kind === "alias" && corpus.ctagsName === "TypeScript") return /\btype\s/.test(line);
    if (tag.kind === "class" && corpus.ctagsName === "JavaScript") return /\bclass\b/.test(line);
    // `module.exports = function` has no name; ctags invents "exports".
    return !(corpus.ctagsName === "JavaScript" && tag.name === "exports");
}

/** Returns the name node of a function, class, type or member. */
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

/** Returns the target of `exports.name = function () {}` and similar assignments. */
function assignedName(node: ts.Node): ts.Node | undefined {
    if (!ts.isBinaryExpression(node)) return undefined;
    if (ts.isPropertyAccessExpression(node.left)) return node.left.name;
    if (ts.isElementAccessExpression(node.left)) return node.left.argumentExpression;
    return ts.isIdentifier(node.left) ? node.left : undefined;
}

/** Definitions according to the compiler; names that need no symbol are only `known`. */
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

/** Definitions according to the JDK's parser, by file. */
async function jdkOracles(files: readonly string[]): Promise<Map<string, Oracle>> {
    const program = fileURLToPath(new URL("java-definitions.java", import.meta.url));
    // Without a JDK there is nothing to compare.
    const printed =
        files.length === 0 ? "" : await withInput("java", [program], files).catch(() => "");
    if (printed === "") return new Map();
    const byFile = new Map(files.map((file) => [file, new Set<string>()]));
    for (const line of printed.split("\n")) {
        const [, number, name = "", file = ""] = /^(\d+) (.*)\t(.*)$/.exec(line) ?? [];
        byFile.get(file)?.add(keyOf({ name, line: Number(number) }));
    }
    return new Map([...byFile].map(([file, keys]) => [file, { expected: keys, known: keys }]));
}

/**
 * Combines ctags with the compiler, if it reads the language: then only what both agree on counts.
 */
function oracleOf(corpus: Corpus, file: string, text: string, tags: readonly Tag[]): Oracle {
    const lines = text.split("\n");
    const counted = tags.filter((tag) => isDefinition(corpus, tag, lines[tag.line - 1] ?? ""));
    const tagged = { expected: new Set(counted.map(keyOf)), known: new Set(tags.map(keyOf)) };
    if (corpus.judge === undefined) return tagged;
    const compiled = compilerOracle(file, text);
    const confirmed = [...tagged.expected].filter((key) => compiled.known.has(key));
    return {
        expected: new Set([...compiled.expected, ...confirmed]),
        known: compiled.known,
    };
}

/** The expected definitions of a language's files, by file. */
export async function oraclesOf(
    corpus: Corpus,
    files: readonly string[]
): Promise<Map<string, Oracle>> {
    if (corpus.judge === "jdk") return jdkOracles(files);
    const oracles = new Map<string, Oracle>();
    for (const [file, tags] of await ctags(corpus, files)) {
        oracles.set(file, oracleOf(corpus, file, await readFile(file, "utf8"), tags));
    }

    return oracles;
}
