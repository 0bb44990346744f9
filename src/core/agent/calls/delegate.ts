import type {
    ChangedFile,
    ChangeSet,
    Delegated,
    DelegatedTask,
    MergeConflict,
    NestedRun,
} from "../../../plugin/index.js";
import { counted } from "../../../base/format.js";
import { groupBy } from "../../../base/group-by.js";
import { onlyReads } from "../../../plugin/modes.js";
import { NO_DRAFT, draftStep } from "../../draft/open-draft.js";
import { changeSetOf, PROJECT_AS_IT_IS, type View } from "../../draft/view.js";
import type { Outlet } from "./relay.js";
import { reviewChange } from "./review-change.js";
import type { EndedRun, NestedWriting, Turn } from "../turn.js";
import { mergeWriters } from "../changes/merge-writers.js";

/** Kinds of context that whoever changes something must know. */
const INSTRUCTIONS: ReadonlySet<string> = new Set(["instructions", "rules", "memory"]);

interface DelegatingCall {
    readonly turn: Turn;
    readonly callId: string;
    readonly outlet: Outlet;
    run(task: DelegatedTask, writing: NestedWriting): Promise<EndedRun>;
    /** See `ProposedChange`. */
    observeWritten(file: ChangedFile, version: "proposed" | "other"): void;
}

/**
 * Runs tasks side by side, each in a draft over what the turn sees. Their changes are merged and,
 * as one change, drafted or reviewed. Rejects like a run, and with what merging and applying throw.
 */
export async function delegate(
    call: DelegatingCall,
    tasks: readonly DelegatedTask[]
): Promise<Delegated> {
    const { turn } = call;
    const base = turn.project.draft ? turn.conversation.state.draft.view : PROJECT_AS_IT_IS;
    const sent = [...turn.conversation.state.context.parts.values()];
    const instructions = sent.filter(({ kind }) => INSTRUCTIONS.has(kind));
    const ended = await Promise.all(
        tasks.map((task) => call.run(task, { base, instructions, user: askerFor(call, task.name) }))
    );
    const writers = ended.map(({ view = base }, index) => ({
        name: tasks[index]?.name ?? "",
        files: draftStep(base, view).shown,
    }));
    const runs = ended.map(({ view: _, ...run }): NestedRun => run);
    const { files, conflicts } = await mergeWriters(writers, turn.project.contents);
    if (files.size === 0) return { runs, conflicts };
    return { runs, ...(await settle(call, files, conflicts)) };
}

async function settle(
    { turn, callId, outlet, observeWritten }: DelegatingCall,
    files: View,
    found: readonly MergeConflict[]
): Promise<Pick<Delegated, "written" | "conflicts">> {
    let conflicts = found;
    let left = found;
    const propose = async () => {
        const proposal = await proposalOf(turn, files);
        conflicts = [...found, ...proposal.conflicts];
        return { ok: true, changeSet: proposal.changeSet } as const;
    };
    const { changeSet } = await propose();
    const written = await reviewChange(
        turn,
        {
            ...{ callId, changeSet },
            observeWritten: (file) => observeWritten(file, "other"),
            findings: (reviewed) => {
                left = conflicts.filter((conflict) => isLeft(conflict, reviewed));
                return conflictFindings(left);
            },
            rebuild: propose,
            isShownAgain: true,
        },
        outlet
    );
    return { written, conflicts: left };
}

/** Whether the user has neither refused nor resolved it. */
function isLeft({ path, line, sides }: MergeConflict, { changes }: ChangeSet): boolean {
    const change = changes.find((each) => each.path === path);
    if (!change || line === undefined) return change !== undefined;
    const text = Buffer.from(change.after ?? []).toString();
    return text.includes(`<<<<<<< ${sides[0]?.by}`);
}

/** In a draft the base has not moved; the project of agent mode may have. */
async function proposalOf({ project }: Turn, files: View) {
    const place = project.draft ? undefined : project.drafted?.({ id: "", draft: NO_DRAFT }).draft;
    if (!place) return { changeSet: await changeSetOf(files, project.contents), conflicts: [] };
    const { changeSet, conflicts } = await place.rebase(files);
    return {
        changeSet,
        conflicts: conflicts.map(({ path, text }) => ({
            path,
            sides: [{ by: "the project", text }],
        })),
    };
}

function conflictFindings(conflicts: readonly MergeConflict[]): readonly string[] {
    const byPath = [...groupBy(conflicts, ({ path }) => path)];
    return byPath.map(([path, { length }]) => {
        return `${path}: ${counted(length, "conflict")} between the tasks; the model is to resolve it.`;
    });
}

/** The user as one task's run asks; a question says which it is. */
function askerFor({ turn, callId, outlet }: DelegatingCall, by: string): NestedWriting["user"] {
    if (!turn.user) return undefined;
    return { approver: { decide: (request) => outlet.ask({ ...request, callId, by }) } };
}

/** Whether runs may write: the mode allows it, and there is somewhere to. */
export function mayDelegate({ settings, project }: Turn): boolean {
    return !onlyReads(settings.mode) && project.drafted !== undefined;
}
