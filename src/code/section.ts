const SYMBOL_TYPES = [
    ...(["function", "method", "class", "interface", "type", "enum", "const"] as const),
    ...(["struct", "trait", "namespace", "module", "property"] as const),
];

export type SymbolType = (typeof SYMBOL_TYPES)[number];

/** Types of definitions: symbols, parts that continue a type, and calls that take a function. */
export const DEFINITION_TYPES: ReadonlySet<string> = new Set<SectionType>([
    ...SYMBOL_TYPES,
    "impl",
    "block",
]);

export const CLASS_TYPES: ReadonlySet<SectionType> = new Set<SectionType>([
    ...(["class", "interface", "enum", "struct", "trait", "impl"] as const),
]);

export type SectionType =
    | SymbolType
    | "impl"
    | "block"
    | "imports"
    | "exports"
    | "element"
    | "style"
    | "script"
    | "rule"
    | "heading"
    | "chunk";

export interface Definition {
    /** Line of its name, below any decorators. */
    readonly line: number;
    /** The head on one line. */
    readonly signature: string;
    /** Name of the enclosing or qualifying definition. */
    readonly parent?: string;
    /** It can be called, even if its type is `const`. */
    readonly isCallable: boolean;
}

/** A part of a file. Lines are 1-based and inclusive. */
export interface Section {
    readonly type: SectionType;
    readonly name: string;
    /** Includes decorators. */
    readonly startLine: number;
    readonly endLine: number;
    readonly children: readonly Section[];
    readonly definition?: Definition;
}

export interface FileStructure {
    /** The language's id, or `text` if unknown. */
    readonly language: string;
    readonly sections: readonly Section[];
    /** Why there is no structure although the language is known. */
    readonly note?: string;
}

/**
 * Finds the innermost enclosing item of each item. Items are sorted by start, outer ones first;
 * `place` returns whether the item may enclose later ones.
 */
export function nest<Item>(
    items: readonly Item[],
    encloses: (outer: Item, inner: Item) => boolean,
    place: (item: Item, outer: Item | undefined) => boolean
): void {
    const open: Item[] = [];
    for (const item of items) {
        let outer = open.at(-1);
        while (outer !== undefined && !encloses(outer, item)) {
            open.pop();
            outer = open.at(-1);
        }
        if (place(item, outer)) open.push(item);
    }
}
