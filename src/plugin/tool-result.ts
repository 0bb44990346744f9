import type { Finding } from "./change-set.js";
import type { JsonValue } from "./json.js";
import type { DocumentPart, FileReferencePart, ImagePart, TextPart } from "./message.js";

/** Why a tool could not do what it was asked; written for the model. */
export interface ToolError {
    /** Stable and kebab-case: `not-found`, `ambiguous-anchor`. */
    readonly code: string;
    /** One sentence. */
    readonly message: string;
    /** What to do next. */
    readonly hint?: string;
    /** The possible matches, if the input was ambiguous. */
    readonly candidates?: readonly JsonValue[];
}

export interface ToolSuccess<Data = unknown> {
    readonly ok: true;
    /** JSON for the model. */
    readonly data: Data;
    /**
     * Further content for the model, after the data. Images (at most 10, of 3.75 MB and 8,000
     * pixels a side) and PDFs (5 MB) reach models that support them; others get text instead.
     */
    readonly content?: readonly (TextPart | ImagePart | DocumentPart | FileReferencePart)[];
    /** Lines for the user below the intent line; wrapped, except a shell tool's output. */
    readonly display?: string;
    /** The full output, if `display` is only its tail; shown by `/expand`. */
    readonly fullDisplay?: string;
    /**
     * Repeated with the next user message. The tool's next reminder replaces it; an empty one
     * clears it.
     */
    readonly reminder?: string;
    /**
     * Progress in a few words (`2/5 Write the tests`), shown during the turn until a later result
     * replaces it; an empty text clears it.
     */
    readonly progress?: string;
}

export interface ToolFailure {
    readonly ok: false;
    readonly error: ToolError;
}

/** What a tool returns: data, or an error for the model. */
export type ToolResult<Data = unknown> = ToolSuccess<Data> | ToolFailure;

/** The result of a write tool whose change was applied, or added to the draft. */
export interface WriteData {
    readonly applied: "all" | "some" | "drafted";
    readonly files: readonly {
        readonly path: string;
        readonly linesAdded: number;
        readonly linesRemoved: number;
    }[];
    /** The applied hunks, if only some were. */
    readonly hunks?: readonly string[];
    /** What checks found in the change. */
    readonly findings?: readonly Finding[];
    /** The proposal's notes. */
    readonly notes?: readonly string[];
}
