import type { StoredContents } from "../../base/stored-contents.js";
import { lstat } from "node:fs/promises";
import path from "node:path";
import { sha256 } from "../../base/sha256.js";
import { ifAbsent } from "../../base/system-error.js";
import type { RebasedDraft } from "../../core/agent/turn.js";
import { isCovered } from "../../core/history/states.js";
import { changeSetOf, versionBefore, type View } from "../../core/draft/view.js";
import { typeBefore } from "../../plugin/change-set.js";
import type { ChangedFile, DropConflict, FileChange } from "../../plugin/index.js";
import { currentVersion } from "../../workspace/current-file.js";
import { mergeText } from "./merge-text.js";

/**
 * The draft's changes as changes to the current project: where others changed a file underneath,
 * both are merged. Rejects with `object-missing`.
 */
export async function rebaseView(
    view: View,
    root: string,
    contents: StoredContents
): Promise<RebasedDraft> {
    const { changes } = await changeSetOf(view, contents);
    const base = new Map([...view].map(([path, file]) => [path, versionBefore(file)]));
    const rebased = await Promise.all(
        changes.map(async (change) => {
            const { path: name } = change;
            // The draft has a folder where the project has a file.
            const now = isCovered(name, base)
                ? null
                : await currentVersion(root, name, typeBefore(change)).catch(() => undefined);
            return rebaseChange(root, change, view.get(name), now);
        })
    );
    return {
        changeSet: { changes: rebased.flatMap(({ change }) => change ?? []) },
        files: rebased.flatMap(({ file }) => file ?? []),
        merged: rebased.flatMap(({ kind, change }) =>
            kind === "merged" && change ? change.path : []
        ),
        conflicts: rebased.flatMap(({ conflicts = [] }) => conflicts),
    };
}

async function rebaseChange(
    root: string,
    change: FileChange,
    file: ChangedFile | undefined,
    now: Current
): Promise<{
    readonly kind: "same" | "merged" | "conflict";
    /** Absent if the project has it already. */
    readonly change?: FileChange;
    readonly file?: ChangedFile;
    readonly conflicts?: readonly DropConflict[];
}> {
    if (!file) return { kind: "same", change };
    const { path: name } = change;
    const hash = now === undefined ? undefined : (now?.hash ?? null);
    if (hash === change.beforeHash) return { kind: "same", change, file };
    if (hash === file.afterHash) return { kind: "same" };
    const merge = await mergedContent(change, now);
    const today = { ...change, before: now?.bytes ?? null, beforeHash: hash ?? null };
    const modeNow = now ? (await ifAbsent(lstat(path.join(root, name)), null))?.mode : undefined;
    const { modeBefore: _, ...rest } = file;
    const after = merge.after;
    return {
        ...merge,
        change: { ...today, after },
        file: {
            ...rest,
            beforeHash: hash ?? null,
            afterHash: after === null ? null : sha256(after),
            ...(modeNow !== undefined && { modeBefore: modeNow & 0o7777 }),
        },
    };
}

type Current = Awaited<ReturnType<typeof currentVersion>> | undefined;

/** Merges by lines; `after` of a conflict has both sides. */
async function mergedContent(
    change: FileChange,
    now: Current
): Promise<{
    readonly kind: "merged" | "conflict";
    readonly after: Uint8Array | null;
    readonly conflicts?: readonly DropConflict[];
}> {
    const { path: name, before, after } = change;
    const whole = (text: string) => {
        const conflicts = [{ path: name, text: `${name} ${text}` }];
        return { kind: "conflict", after, conflicts } as const;
    };
    if (now === undefined) return whole("is something else now.");
    if (now === null) return whole("was deleted since; the draft changes it.");
    if (after === null) return whole("was changed since; the draft deletes it.");
    if (before === null) return whole("was created since, differently from the draft.");
    const { bytes = after, conflicts } = await mergeText(
        change,
        { base: before, mine: after, now: now.bytes },
        { shown: { draft: "mine", now: "now" }, markers: { mine: "draft", now: "project" } }
    );
    return { kind: conflicts.length === 0 ? "merged" : "conflict", after: bytes, conflicts };
}
