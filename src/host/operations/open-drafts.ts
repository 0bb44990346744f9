import { firstOf, firstWords, localMinute } from "../../base/format.js";
import { isExpectedError, NorthError } from "../../base/north-error.js";
import { northCommand } from "../../base/north-command.js";
import { Conversation } from "../../core/conversation/fold.js";
import { checkFinder } from "../effects/check-finder.js";
import { table } from "../table.js";
import { openStores } from "../open-stores.js";
import { draftPatch, draftSize, dropDraft, prepareDraft } from "./drafts.js";
import type { ChangeSet } from "../../plugin/index.js";
import { warn } from "../warn.js";
import { withUndoHost } from "./undo-conversation.js";

interface ListedDraft {
    readonly id: string;
    /** Milliseconds since 1970, of the last change. */
    readonly at: number;
    readonly size: string;
    readonly files: readonly string[];
    readonly title: string;
}

/** The open drafts of the repository around `folder`, newest first. Warns like `listConversations`. */
export async function openDrafts(
    dataFolder: string,
    folder: string
): Promise<readonly ListedDraft[]> {
    const { root, conversations, contents } = await openStores(dataFolder, folder);
    const drafts: ListedDraft[] = [];
    for (const summary of await conversations.list({ report: warn })) {
        if (summary.root !== root) continue;
        const { id } = summary;
        const { records, warnings } = await conversations.readAmong(id);
        warnings.forEach(warn);
        const { draft } = Conversation.of(records);
        const size = await draftSize(draft.view, contents).catch((error: unknown) => {
            if (isExpectedError(error)) return "damaged";
            throw error;
        });
        if (size === undefined) continue;
        const at = draft.entries.at(-1)?.at ?? 0;
        const title = summary.name ?? summary.firstWords;
        drafts.push({ id, at, size, files: [...draft.view.keys()].sort(), title });
    }
    return drafts;
}

export function draftsText(drafts: readonly ListedDraft[]): string {
    if (drafts.length === 0) return "No draft is open in this project.";
    const rows = drafts.map(({ id, at, size, files, title }) => [
        ...[id, localMinute(at), size],
        ...[firstOf(files), firstWords(title)],
    ]);
    return table(["ID", "Last changed", "Size", "Files", "First words"], rows);
}

/** One draft, read without locking its conversation. Rejects with `no-draft`. */
export async function readDraft(dataFolder: string, folder: string, id: string) {
    const { conversations, contents } = await openStores(dataFolder, folder);
    const { draft } = Conversation.of((await conversations.read(id)).records);
    if (draft.view.size === 0) throw noDraft(id);
    const { changeSetOf } = await import("../../core/draft/view.js");
    return {
        id,
        files: [...draft.view.keys()].sort(),
        changeSet: await unlessDamaged(id, changeSetOf(draft.view, contents)),
        patch: await draftPatch(draft.view, contents),
    };
}

/** Discards a draft. Rejects with `no-draft`, and like `withUndoHost`. */
export function discardDraftOf(dataFolder: string, id: string, path: string | undefined) {
    return withUndoHost(dataFolder, { id, path }, async (host) => {
        if (host.conversation.state.draft.view.size === 0) throw noDraft(id);
        await dropDraft(host);
        return { id, discarded: true };
    });
}

/** Says what to do with a draft whose contents are missing or are not what was drafted. */
async function unlessDamaged<Result>(id: string, reading: Promise<Result>): Promise<Result> {
    try {
        return await reading;
    } catch (error) {
        if (!isExpectedError(error) || !error.code.startsWith("object-")) throw error;
        throw new NorthError(error.code, `The draft cannot be read: ${error.message}`, [
            `Nothing was written. \`north draft discard ${id}\` removes the draft.`,
        ]);
    }
}

export interface DraftReviewer {
    /** Shows the changes and asks; the question lacks its mark. */
    confirm(question: string, changeSet: ChangeSet): Promise<boolean>;
    log(text: string): void;
}

/**
 * Shows a draft, asks and applies it, unless it conflicts with the current project. Rejects with
 * `no-draft`, and like `withUndoHost`.
 */
export function applyDraftConfirmed(
    dataFolder: string,
    { id, path }: { readonly id: string; readonly path: string | undefined },
    { confirm, log }: DraftReviewer
) {
    return withUndoHost(dataFolder, { id, path }, async (host) => {
        const preparing = prepareDraft({ ...host, readChecks: checkFinder(host.root) });
        const planned = await unlessDamaged(id, preparing);
        if (!planned) throw noDraft(id);
        const { changeSet, conflicts, merged, line } = planned;
        if (conflicts.length > 0) {
            log("The project changed on the same lines. Nothing was written.");
            for (const { text } of conflicts) log(text);
            log(
                `\`${northCommand()} resume ${id}\`, then \`/draft apply\`: the model can resolve them.`
            );
            return { id, applied: false, conflicts };
        }
        if (merged.length > 0) log(`Merged with changes made since: ${merged.join(", ")}.`);
        const applied = await confirm(`Apply this draft (${line})`, changeSet);
        if (applied) await planned.apply();
        log(applied ? `Done. \`${northCommand()} undo ${id}\` reverses it.` : "Nothing changed.");
        return { id, applied, files: changeSet.changes.map(({ path }) => path), merged };
    });
}

function noDraft(id: string): NorthError {
    return new NorthError("no-draft", `Conversation ${id} has no open draft.`, [
        "`north draft list` shows the open drafts.",
    ]);
}
