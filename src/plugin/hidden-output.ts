import type { ChangeSet } from "./change-set.js";
import type { JsonValue } from "./json.js";

/**
 * `output`: what a command or tool has shown; `diff`: a change that was made; `result`: what the
 * model was told by a tool; `thinking`: what it thought before it answered.
 */
export type HiddenOutputKind = "output" | "diff" | "result" | "thinking";

/** The whole of it. */
export type HiddenContent =
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "json"; readonly value: JsonValue }
    | { readonly kind: "changes"; readonly changeSet: ChangeSet };

/** Something of the conversation that the transcript shows shortened, or not at all. */
export interface HiddenOutput {
    readonly kind: HiddenOutputKind;
    /** What it belongs to, on one line. */
    readonly title: string;
    /** The transcript shows a part of it and says so. */
    readonly isCut: boolean;
    /** Rejects with `object-missing` where it is not kept any more. */
    read(): Promise<HiddenContent>;
}
