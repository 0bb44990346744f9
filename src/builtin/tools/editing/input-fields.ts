import * as Type from "typebox";

// Fields that several edit tools share: one wording, few tokens.

export const path = Type.String({ minLength: 1 });
export const content = Type.String({ description: "Whole lines" });

/** Bytes: for whole files, and for many edits at once. */
export const LARGE_INPUT = 1024 * 1024;
