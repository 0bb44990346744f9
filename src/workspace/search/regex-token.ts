import type { CharacterSet } from "./character-set.js";

/** A part of a regular expression in RE2 syntax, and where it begins. */
export type RegexToken = { readonly index: number } & (
    | { readonly kind: "character"; readonly point: number }
    | { readonly kind: "set"; readonly set: CharacterSet }
    | { readonly kind: "line-start" | "line-end" | "close" | "or" }
    | { readonly kind: "boundary"; readonly negated: boolean }
    /** A group, or with `isOpen` false flags for the rest of the group; `undefined`: unchanged. */
    | { readonly kind: "group"; readonly isOpen: boolean; readonly ignoreCase?: boolean }
    | { readonly kind: "repeat"; readonly text: string }
);

/** The tokens that begin at one place, and where the rest begins. */
export interface Reading {
    readonly tokens: readonly RegexToken[];
    readonly end: number;
}
