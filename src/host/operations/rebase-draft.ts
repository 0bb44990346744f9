import { lstat } from "node:fs/promises";
import path from "node:path";
import { isBinary } from "../../base/binary.js";
import { sha256 } from "../../base/sha256.js";
import { ifAbsent } from "../../base/system-error.js";
import type { DraftConflict, RebasedDraft } from "../../core/agent/turn.js";
import type { ContentStore } from "../../core/conversation/content-store.js";
import { isCovered, versionBefore } from "../../core/history/states.js";
import { changeSetOf, type View } from "../../core/view/view.js";
import { typeBefore } from "../../plugin/change-set.js";
import type { ChangedFile, FileChange } from "../../plugin/index.js";
import { currentVersion } from "../../workspace/current-file.js";

/**
 * The draft's changes as changes to the project of today: where others changed a file underneath,
 * both are merged. Rejects with `object-missing`.
 */
export async function rebaseView(
    view: View,
    root: string,
    contents: Pick<ContentStore, "get">
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
    readonly conflicts?: readonly DraftConflict[];
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
    { path: name, type, typeBefore, before, after }: FileChange,
    now: Current
): Promise<{
    readonly kind: "merged" | "conflict";
    readonly after: Uint8Array | null;
    readonly conflicts?: readonly DraftConflict[];
}> {
    const whole = (text: string) => {
        const conflicts = [{ path: name, text: `${name} ${text}` }];
        return { kind: "conflict", after, conflicts } as const;
    };
    if (now === undefined) return whole("is something else now.");
    if (now === null) return whole("was deleted since; the draft changes it.");
    if (after === null) return whole("was changed since; the draft deletes it.");
    if (before === null) return whole("was created since, differently from the draft.");
    if (
        type !== undefined ||
        typeBefore !== undefined ||
        [now.bytes, before, after].some(isBinary)
    ) {
        return whole("is not text and was changed since.");
    }
    const { mergeLines } = await import("../../core/history/merge-lines.js");
    const versions = { base: before, mine: after, now: now.bytes };
    const { bytes, conflicts } = mergeLines(versions, { mine: "draft", now: "project" });
    if (conflicts.length === 0) return { kind: "merged", after: bytes };
    const { conflictText } = await import("./conflict-text.js");
    return {
        kind: "conflict",
        after: bytes,
        conflicts: conflicts.map((each) => ({
            path: name,
            text: conflictText(name, each.line, { draft: each.mine, now: each.now }),
        })),
    };
}
