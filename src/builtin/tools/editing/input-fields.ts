import * as Type from "typebox";

// Shared by several edit tools: one wording, few tokens.

export const path = Type.String({ minLength: 1 });
export const content = Type.String({ description: "Whole lines" });

/** In bytes; for whole files and large batches. */
export const LARGE_INPUT = 1024 * 1024;
