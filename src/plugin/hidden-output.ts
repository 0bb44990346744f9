import type { ChangeSet } from "./change-set.js";
import type { JsonValue } from "./json.js";

/**
 * `output`: printed by a command or tool; `diff`: an applied change; `result`: a tool result as
 * sent to the model; `thinking`: the model's reasoning.
 */
export type HiddenOutputKind = "output" | "diff" | "result" | "thinking";

export type HiddenContent =
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "json"; readonly value: JsonValue }
    | { readonly kind: "changes"; readonly changeSet: ChangeSet };

/** Part of the conversation that the transcript truncates or omits. */
export interface HiddenOutput {
    readonly kind: HiddenOutputKind;
    /** One line that identifies the source. */
    readonly title: string;
    /** The transcript shows a truncated version. */
    readonly isCut: boolean;
    /** Rejects with `object-missing` if it is no longer stored. */
    read(): Promise<HiddenContent>;
}
