import type { ChangedFile, ChangeEntry, DraftedEntry, Entry } from "../../plugin/index.js";
import { isSameVersion, mergeChanges, reversedFile, type View, withChanges } from "./view.js";

/** What a conversation has drafted and not applied. */
export interface OpenDraft {
    /** Its net changes against the project; empty once all of them are undone. */
    readonly view: View;
    /** Its changes in order, also those undone since. */
    readonly entries: readonly DraftedEntry[];
}

/** Whether an entry changed files, of the project or of the draft. */
export function isEdit(entry: Entry): entry is ChangeEntry | DraftedEntry {
    return entry.kind === "change" || entry.kind === "drafted";
}

export const NO_DRAFT: OpenDraft = { view: new Map(), entries: [] };

/** The draft after one more entry: a change adds to it, applying ends it. */
export function draftAfter(draft: OpenDraft, entry: Entry): OpenDraft {
    if (entry.kind === "change") return entry.applies ? NO_DRAFT : draft;
    if (entry.kind !== "drafted") return draft;
    const base = entry.isRebase ? without(draft.view, entry) : draft.view;
    return { view: withChanges(base, entry.files), entries: [...draft.entries, entry] };
}

export function openDraft(entries: readonly Entry[]): OpenDraft {
    return entries.reduce(draftAfter, NO_DRAFT);
}

function without(view: View, { files }: DraftedEntry): View {
    const replaced = new Set(files.map(({ path }) => path));
    return new Map([...view].filter(([path]) => !replaced.has(path)));
}

/** The transcript as if the draft were the project: its changes instead of the project's. */
export function draftAsProject(entries: readonly Entry[]): readonly Entry[] {
    const drafted = new Set(openDraft(entries).entries.map(({ id }) => id));
    return entries.flatMap((entry): readonly Entry[] => {
        if (entry.kind === "change") return [];
        if (entry.kind !== "drafted") return [entry];
        const { isRebase: _, ...change } = entry;
        return drafted.has(entry.id) ? [{ ...change, kind: "change" }] : [];
    });
}

/** The changes from one state of a draft to another, as shown and as recorded. */
export function draftStep(now: View, then: View) {
    const paths = [...new Set([...now.keys(), ...then.keys()])];
    const changed = paths.flatMap((path) => {
        const [from, to] = [now.get(path), then.get(path)];
        const back = from && reversedFile(from);
        const file = back && to ? mergeChanges(back, to) : (back ?? to);
        return file && !isSameVersion(file) ? file : [];
    });
    const isRebased = paths.some((path) => {
        const [from, to] = [now.get(path), then.get(path)];
        return from && to && from.beforeHash !== to.beforeHash;
    });
    const shown: View = new Map(changed.map((file) => [file.path, file]));
    if (!isRebased) return { shown, recorded: { files: changed } };
    const nothing = (file: ChangedFile) => mergeChanges(file, reversedFile(file));
    const files = paths.flatMap((path) => {
        const from = now.get(path);
        return then.get(path) ?? (from ? nothing(from) : []);
    });
    return { shown, recorded: { files, isRebase: true as const } };
}
