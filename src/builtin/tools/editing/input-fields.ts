import * as Type from "typebox";

// Fields that several edit tools share: one wording, few tokens.

export const path = Type.String({ minLength: 1 });
export const content = Type.String({ description: "Whole lines" });
// Described by edit_by_anchor, once for all that take them.
export const anchor = Type.String({ minLength: 1 });
export const occurrence = Type.Optional(Type.Integer({ minimum: 1 }));
export const inclusive = Type.Optional(Type.Boolean({ default: false }));
export const strict = { additionalProperties: false } as const;

/** Bytes: for whole files, and for many edits at once. */
export const LARGE_INPUT = 1024 * 1024;
