import type { Entry } from "../../plugin/index.js";
import { openDraft } from "../draft/open-draft.js";
import { listsIn } from "./undo.js";

/** Index of the message of the turn that began the open draft. */
export function draftStart(entries: readonly Entry[]): number {
    const [first] = openDraft(entries).entries;
    const place = entries.findIndex(({ id }) => id === first?.id);
    return Math.max(
        0,
        entries.slice(0, place + 1).findLastIndex(({ kind }) => kind === "user")
    );
}

/** What the open draft's commands built before a time, from which on it is kept. */
export function lostOutputs(entries: readonly Entry[], keptSince: number): readonly string[] {
    if (openDraft(entries).view.size === 0) return [];
    let isDrafting = false;
    const lost = entries.slice(draftStart(entries)).flatMap((entry) => {
        if (entry.kind === "user") isDrafting = entry.mode === "draft";
        return isDrafting && entry.at < keptSince ? listsIn([entry], "outputs") : [];
    });
    return [...new Set(lost)];
}
