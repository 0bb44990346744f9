import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { setImmediate } from "node:timers/promises";
import v8 from "node:v8";
import type * as TreeSitter from "web-tree-sitter";
import type { Language as Grammar, Parser, Query, Tree } from "web-tree-sitter";
import { NorthError } from "../base/north-error.js";
import type { TreeReader } from "./language.js";
import { tooComplex } from "./too-complex.js";

/** A grammar, with queries that are compiled when first asked for: that takes longer than a command. */
interface Loaded {
    readonly grammar: Grammar;
    readonly query: () => Query;
    readonly errors: () => Query;
    readonly repair: TreeReader["repair"];
}

/** Parsing yields to other work after this long, so that a cancel is noticed. */
const SLICE_MS = 50;

/** In bytes of code that a function has run before V8 optimizes it. */
const PATIENT_BUDGET = 100_000_000;
/** Of Node 20, and of 22 to 24. V8 prints an error if a newer one has dropped the flag. */
const DEFAULT_BUDGETS = [1_800_000, 13_000_000];
const NEWEST_NODE_WITH_BUDGET = 24;

export interface ParseBounds {
    readonly signal?: AbortSignal | undefined;
    /** Polled between slices; `true` rejects with `too-complex`. */
    readonly isLate?: () => boolean;
}

const require = createRequire(import.meta.url);
const loaded = new Map<TreeReader, Promise<Loaded>>();
let library: Promise<typeof TreeSitter> | undefined;

async function loadLibrary(): Promise<typeof TreeSitter> {
    const treeSitter = await import("web-tree-sitter");
    try {
        await treeSitter.Parser.init({
            locateFile: () => require.resolve("web-tree-sitter/web-tree-sitter.wasm"),
        });
    } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        throw new NorthError("no-address-space", "North cannot reserve the memory to parse code.", [
            "Raise `ulimit -v`, or start North with NODE_OPTIONS=--disable-wasm-trap-handler.",
        ]);
    }
    return treeSitter;
}

/**
 * V8 would optimize a lexer, one huge function, after the first line of a text: a second of CPU time
 * for what takes milliseconds. The flag is restored afterwards, since a hash of all flags is part of
 * every code cache.
 */
function compiled(grammar: Uint8Array<ArrayBuffer>): WebAssembly.Module {
    if (Number.parseInt(process.versions.node) > NEWEST_NODE_WITH_BUDGET) {
        return new WebAssembly.Module(grammar);
    }
    const tag = v8.cachedDataVersionTag();
    setTieringBudget(PATIENT_BUDGET);
    try {
        return new WebAssembly.Module(grammar);
    } finally {
        DEFAULT_BUDGETS.find((budget) => {
            setTieringBudget(budget);
            return v8.cachedDataVersionTag() === tag;
        });
    }
}

function setTieringBudget(bytes: number): void {
    v8.setFlagsFromString(`--wasm-tiering-budget=${bytes}`);
}

async function load(reader: TreeReader): Promise<Loaded> {
    library ??= loadLibrary();
    const { Language: grammars, Query: Queries } = await library;
    const file = `@vscode/tree-sitter-wasm/wasm/tree-sitter-${reader.grammar}.wasm`;
    const grammar = grammars.loadSync(compiled(await readFile(require.resolve(file))));
    const late = (text: string) => {
        let query: Query | undefined;
        return () => (query ??= new Queries(grammar, text));
    };
    const { query, repair } = reader;
    return { grammar, query: late(query), errors: late("(ERROR) @error"), repair };
}

function loadOnce(reader: TreeReader): Promise<Loaded> {
    let entry = loaded.get(reader);
    if (entry === undefined) {
        entry = load(reader);
        loaded.set(reader, entry);
        entry.catch(() => loaded.delete(reader));
    }
    return entry;
}

/** Parses in slices; `parser.parse` resumes where it stopped. */
async function parse(parser: Parser, text: string, { signal, isLate }: ParseBounds): Promise<Tree> {
    for (;;) {
        const sliceEnd = Date.now() + SLICE_MS;
        const tree = parser.parse(text, null, { progressCallback: () => Date.now() > sliceEnd });
        if (tree !== null) return tree;
        await setImmediate();
        signal?.throwIfAborted();
        if (isLate?.()) throw tooComplex();
    }
}

/** The tree of the text, or of the repaired text if that has fewer errors. */
async function parseBest(
    parser: Parser,
    text: string,
    { errors, repair }: Loaded,
    bounds: ParseBounds
): Promise<Tree> {
    const tree = await parse(parser, text, bounds);
    if (repair === undefined || !tree.rootNode.hasError) return tree;
    let repaired: Tree;
    try {
        repaired = await parse(parser, repair(text), bounds);
    } catch (error) {
        tree.delete();
        throw error;
    }
    const count = (candidate: Tree): number => errors().captures(candidate.rootNode).length;
    const isBetter = count(repaired) < count(tree);
    (isBetter ? tree : repaired).delete();
    return isBetter ? repaired : tree;
}

/** Passes a text's tree to `read`, which must not keep it: WASM trees are freed explicitly. */
export async function withTree<Result>(
    reader: TreeReader,
    text: string,
    read: (tree: Tree, query: () => Query) => Result,
    bounds: ParseBounds = {}
): Promise<Result> {
    const loaded = await loadOnce(reader);
    const { Parser: Parsers } = await import("web-tree-sitter");
    const parser = new Parsers();
    try {
        parser.setLanguage(loaded.grammar);
        const tree = await parseBest(parser, text, loaded, bounds);
        try {
            return read(tree, loaded.query);
        } finally {
            tree.delete();
        }
    } finally {
        parser.delete();
    }
}
