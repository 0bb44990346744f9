import type { ToolResult } from "../../../plugin/index.js";
import { isExpectedError } from "../../../base/north-error.js";
import type { HostNoteEntry } from "../../../plugin/records.js";
import { continuationNote, outcomeNote } from "../../files/notes.js";
import { workspaceOf } from "../calls/authorize.js";
import type { AgentEvent } from "../events.js";
import { proposeFile, REVIEW_AGAIN } from "./propose-file.js";
import { relayed, type Outlet } from "../calls/relay.js";
import type { ReplyFile, ReplyFiles } from "../reply/reply-files.js";
import { reviewChange } from "../calls/review-change.js";
import type { Turn } from "../turn.js";

type StagedFile = Extract<ReplyFile, { kind: "staged" }>;

/**
 * What follows from the files of a reply that is over: those that are complete are reviewed, and
 * the model is asked to go on with one that is not. True when the model has been told something.
 */
export async function* settleFiles(
    turn: Turn,
    files: ReplyFiles,
    mayContinue: boolean
): AsyncGenerator<AgentEvent, boolean> {
    let isTold = false;
    for (const file of files.all) {
        const { fileId, path } = file;
        if (file.kind === "refused") {
            const { error } = file;
            note(turn, outcomeNote(path, { ok: false, error }));
            yield { type: "file-finished", fileId, path, ok: false, lines: 0, error };
        } else if (file !== files.open) {
            yield* relayed(turn, (outlet) => review(turn, file, outlet));
        } else if (mayContinue) {
            note(turn, continuationNote(path, turn.staging.read(path) ?? ""));
        } else {
            continue;
        }
        isTold = true;
    }
    return isTold;
}

async function review(turn: Turn, file: StagedFile, outlet: Outlet): Promise<void> {
    const { fileId, path, text } = file;
    const observed: { path: string; hash: string | null }[] = [];
    const { result, isOver } = await reviewed(turn, file, observed, outlet);
    note(turn, outcomeNote(path, result), observed);
    // After the note: a kill in between may offer the text once more, but never loses it.
    if (isOver) turn.staging.remove(path);
    const { lines } = text;
    const error = result.ok ? {} : { error: result.error };
    outlet.tell({ type: "file-finished", fileId, path, ok: result.ok, lines, ...error });
}

/** A result, and whether the text is needed no more. */
interface Reviewed {
    readonly result: ToolResult;
    readonly isOver: boolean;
}

async function reviewed(
    turn: Turn,
    { fileId, path }: StagedFile,
    observed: { path: string; hash: string | null }[],
    outlet: Outlet
): Promise<Reviewed> {
    const workspace = workspaceOf(turn, fileId, outlet);
    const proposal = await contained(proposeFile(turn, workspace, path));
    if (!proposal.ok) {
        return { result: proposal, isOver: proposal.error.code !== "changed-since-read" };
    }

    const { changeSet } = proposal;
    const isNew = changeSet.changes[0]?.before === null;
    const change = {
        callId: fileId,
        intent: `${isNew ? "Creating" : "Replacing"} ${path}`,
        changeSet,
        observeWritten: (written: string, hash: string | null) =>
            void observed.push({ path: written, hash }),
    };
    const result = await contained(reviewChange(turn, change, outlet));
    if (result.ok || result.error.code === "rejected") return { result, isOver: true };
    const hint = [result.error.hint, REVIEW_AGAIN].filter(Boolean).join(" ");
    return { result: { ok: false, error: { ...result.error, hint } }, isOver: false };
}

/** An expected failure becomes a result that the model reads. */
async function contained<Value>(work: Promise<Value>) {
    try {
        return await work;
    } catch (error) {
        if (!isExpectedError(error)) throw error;
        const { code, message, nextSteps } = error;
        const hint = nextSteps.join(" ");
        const failure = { code, message, ...(hint ? { hint } : {}) };
        return { ok: false as const, error: failure };
    }
}

function note(turn: Turn, text: string, observed: HostNoteEntry["observed"] = []): void {
    const { edges } = turn;
    turn.record({
        type: "entry_added",
        entry: {
            kind: "host_note",
            id: edges.id(),
            at: edges.now(),
            text,
            ...(observed.length > 0 ? { observed } : {}),
        },
    });
}
