import { counted } from "../../base/format.js";
import type { Mode } from "../../plugin/index.js";
import { onlyReads } from "../../plugin/modes.js";
import type { Conversation } from "../conversation/fold.js";

/** What the model must know of a mode that the conversation switches to. */
export function modeNote(
    mode: Mode,
    { entries, draft: { view } }: Pick<Conversation, "entries" | "draft">
): string | undefined {
    const last = entries.findLast((entry) => entry.kind === "user");
    const before = last?.kind === "user" ? last.mode : "agent";
    if (mode === before) return undefined;
    if (mode === "draft") return DRAFT;
    if (before === "plan" && !onlyReads(mode)) {
        return "No longer plan mode: all tools are available.";
    }
    if (before !== "draft" || view.size === 0) return undefined;
    return `Draft mode is off: you no longer see the draft's changes to ${counted(view.size, "file")}.`;
}

const DRAFT =
    "Draft mode: edits and commands change a draft that all tools see. The user reviews it when you are done.";

/** What the user must know of a draft outside of draft mode. */
export function unseenDraftNotice(
    mode: Mode,
    { draft: { view } }: Pick<Conversation, "draft">
): string | undefined {
    if (mode === "draft" || view.size === 0) return undefined;
    return `The draft (${counted(view.size, "file")}) stays open and is not visible in ${mode} mode. /draft shows it.`;
}
