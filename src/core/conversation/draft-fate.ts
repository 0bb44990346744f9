import type { DraftedEntry, Entry } from "../../plugin/index.js";
import { undoneIds } from "./turns.js";
import { openDraft } from "../draft/open-draft.js";

/** What became of a change to a draft; one that an undo took back counts as discarded. */
export type DraftFate = "drafted" | "applied" | "discarded";

export function draftFates(entries: readonly Entry[]): (entry: DraftedEntry) => DraftFate {
    const undone = undoneIds(entries);
    const open = new Set(openDraft(entries).entries.map(({ id }) => id));
    const applied = new Set(
        entries.flatMap((entry) =>
            entry.kind === "change" && !undone.has(entry.id) ? (entry.applies ?? []) : []
        )
    );
    return ({ id }) => {
        if (undone.has(id)) return "discarded";
        if (open.has(id)) return "drafted";
        return applied.has(id) ? "applied" : "discarded";
    };
}
