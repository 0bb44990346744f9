import type { SymbolType } from "./section.js";
import type { StylesheetSyntax } from "./stylesheet.js";

/** The filters of `find_blocks`, each matching a language's blocks. */
export const BLOCK_KINDS = [
    ...(["html_section", "css_rule", "js_ts_symbol", "csharp_symbol", "php_symbol"] as const),
    ...(["java_symbol", "python_symbol", "go_symbol", "rust_symbol"] as const),
] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

export interface TreeReader {
    readonly kind: "tree";
    /** `tree-sitter-<grammar>.wasm`. */
    readonly grammar: string;
    /**
     * A tree-sitter query. A definition's node is captured by its type (`@function`, `@class`, ...;
     * `@impl` for a part that continues a type, `@block` for a call that takes a function), with
     * - `@name` its name, or `(#set! name "...")` if it has none;
     * - `@declarator` if the name is at the end of a chain of C declarators;
     * - `@parent` if it belongs to something that does not enclose it;
     * - `@value` the function a variable or property holds; `@body` a body that is not a field.
     * `@import` and `@export` are gathered into runs. Captures that start with `_` are for
     * predicates. If two patterns find the same name, the first pattern in the query wins.
     */
    readonly query: string;
    /** Nodes that wrap a definition and belong to it: `export`, `template <...>`. */
    readonly wrappers?: readonly string[];
    /** Decorators, annotations, attributes: part of the block, but not the definition's line. */
    readonly attributes?: readonly string[];
    /** Rewrites unparsable text to the same length; used if the result has fewer errors. */
    readonly repair?: (text: string) => string;
    /** Additional section types whose functions are methods. */
    readonly methodContainers?: readonly SymbolType[];
}

/** A language whose structure North can read. */
export interface Language {
    readonly id: string;
    /** Lower case, with the dot. */
    readonly extensions: readonly string[];
    /** How files of another format begin that has the same extension. */
    readonly otherFormat?: RegExp;
    /** Whole file names without a telling extension. */
    readonly fileNames?: readonly string[];
    /** Programs named in the first line (`#!`) of files without an extension. */
    readonly interpreters?: readonly string[];
    readonly blockKind?: BlockKind;
    /** Prefix of block ids: `ts-0`. */
    readonly blockPrefix: string;
    readonly reader:
        | TreeReader
        | { readonly kind: "stylesheet"; readonly syntax: StylesheetSyntax }
        | { readonly kind: "markup"; readonly selfClosing: boolean }
        | { readonly kind: "markdown" };
}
