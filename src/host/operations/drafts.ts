import type { StoredContents } from "../../base/stored-contents.js";
import { lstatSync } from "node:fs";
import path from "node:path";
import { NorthError } from "../../base/north-error.js";
import { draftFacts, sizeOf } from "../../core/agent/changes/draft-facts.js";
import {
    applyDraft,
    discardDraft,
    type DraftSettlingPlace,
    draftConflicts,
    draftProposal,
} from "../../core/agent/changes/settle-draft.js";
import { type ContainedOutputs, NO_OUTPUTS } from "../../core/approval/contained-runs.js";
import type { ChangeApplier, DraftPlace } from "../../core/agent/turn.js";
import type { ContentStore } from "../../core/conversation/content-store.js";
import type { Conversation } from "../../core/conversation/fold.js";
import type { ReadChecks } from "../../core/history/evidence.js";
import { changeSetOf, type View } from "../../core/draft/view.js";
import type { PlannedDraft } from "../../plugin/index.js";
import { rebaseView } from "./rebase-draft.js";
import { patchOf } from "./patch.js";
import type { UndoHost } from "./undo-changes.js";

/** What deciding on a draft needs, in the chat or outside. */
export interface DraftHost extends UndoHost {
    readonly conversation: UndoHost["conversation"] & {
        readonly state: Pick<Conversation, "id" | "draft" | "entries">;
    };
    readonly readChecks: ReadChecks;
    /** See `DraftPlace`; absent where no command of the draft has run. */
    outputs?(): Promise<ContainedOutputs>;
}

/** The draft as decided on; `undefined` if there is none. Rejects with `object-missing`. */
export async function prepareDraft(host: DraftHost): Promise<PlannedDraft | undefined> {
    const { state } = host.conversation;
    const place = settlingPlace(host);
    const proposal = await draftProposal(place);
    if (!proposal) return undefined;
    const { changeSet, merged, conflicts } = proposal;
    const { tested } = await draftFacts(state.entries, host.readChecks, place.draft, {
        isAltered: conflicts.length + merged.length > 0,
    });
    // The merge has both sides of each conflict, between markers.
    const isMarked = conflicts.length > 0;
    const { contents } = host.project;
    const drafted = isMarked ? await changeSetOf(state.draft.view, contents) : changeSet;
    const { diffsOf } = await import("../../core/diff/diff.js");
    return {
        changeSet,
        merged,
        conflicts,
        line: `${sizeOf(diffsOf(drafted))} · ${tested}`,
        async apply() {
            if (conflicts.length > 0) throw draftConflicts(conflicts);
            const outcome = await applyDraft(place, proposal);
            if (outcome.kind === "applied") return outcome.notes ?? [];
            const paths = outcome.paths.join(", ");
            throw new NorthError(
                "changed-since",
                `Nothing was written: ${paths} changed just now.`,
                ["Apply the draft again; it merges with the change."]
            );
        },
        discard: () => dropDraft(host),
    };
}

/** Needs none of the draft's contents, which may be damaged. */
export function dropDraft(host: Omit<DraftHost, "readChecks">): Promise<void> {
    return discardDraft(settlingPlace(host));
}

function settlingPlace({
    root,
    project,
    conversation,
    ...host
}: Omit<DraftHost, "readChecks">): DraftSettlingPlace {
    return {
        ...{ project, conversation, runtime: host.runtime },
        draft: draftPlace(root, project, async () => (await host.outputs?.()) ?? NO_OUTPUTS),
    };
}

export function draftPlace(
    root: string,
    { applier, contents }: { readonly applier: ChangeApplier; readonly contents: ContentStore },
    outputs: DraftPlace["outputs"]
): DraftPlace {
    return {
        ...{ applier, outputs },
        rebase: (view) => rebaseView(view, root, contents),
        lastChangeAt: () => lastChangeAt(root),
        outputsSince: performance.timeOrigin,
    };
}

/** Folders count too: they change with each file that comes or goes. */
async function lastChangeAt(root: string): Promise<number> {
    const { openWorkspace } = await import("../../workspace/open-workspace.js");
    const workspace = openWorkspace({ root });
    const folders = ["."];
    let latest = lstatSync(root).ctimeMs;
    for (const folder of folders) {
        for (const { name } of await workspace.list(folder)) {
            const place = path.join(folder, name);
            const stats = lstatSync(path.join(root, place), { throwIfNoEntry: false });
            if (stats?.isDirectory()) folders.push(place);
            latest = Math.max(latest, stats?.ctimeMs ?? 0);
        }
    }
    return latest;
}

/** `5 files +120 -34`; `undefined` if there is no draft. */
export async function draftSize(view: View, contents: StoredContents): Promise<string | undefined> {
    if (view.size === 0) return undefined;
    const { diffsOf } = await import("../../core/diff/diff.js");
    return sizeOf(diffsOf(await changeSetOf(view, contents)));
}

/** A draft as `git apply` takes it, against the files that it was made from. */
export async function draftPatch(view: View, contents: StoredContents): Promise<Buffer> {
    return patchOf(await changeSetOf(view, contents), (path) => view.get(path)?.modeBefore);
}
