import { isByteText } from "../../../base/binary.js";
import { isExpectedError } from "../../../base/north-error.js";
import type { Proposal, ToolFailure, ToolResult, Workspace } from "../../../plugin/index.js";
import type { ChangedFile, HostNoteEntry } from "../../../plugin/records.js";
import { continuationNote, outcomeNote } from "../../files/notes.js";
import { type Outlet, relayEvents } from "../calls/relay.js";
import { reviewChange, withEditors } from "../calls/review-change.js";
import { workspaceOf } from "../calls/running-call.js";
import type { AgentEvent } from "../events.js";
import type { ReplyFile, ReplyFiles } from "../reply/reply-files.js";
import { failure, failureOf } from "../failure.js";
import { addEntry, type Turn } from "../turn.js";

/** Added if the text stays staged and can be reviewed again unchanged. */
const REVIEW_AGAIN =
    'The text is kept: an empty block with mode="append" submits it for review again.';

type StagedFile = Extract<ReplyFile, { kind: "staged" }>;

/** Reviews complete files, asks for the rest of the open one. Returns whether it left a note. */
export async function* settleFiles(
    turn: Turn,
    files: ReplyFiles,
    mayContinue: boolean
): AsyncGenerator<AgentEvent, boolean> {
    let hasNote = false;
    for (const file of files.all) {
        const { fileId, path } = file;
        if (file.kind === "refused") {
            const { error } = file;
            note(turn, outcomeNote(path, { ok: false, error }));
            yield { type: "file-finished", fileId, path, ok: false, lines: 0, error };
        } else if (file !== files.open) {
            yield* relayEvents(turn, (outlet) => review(turn, file, outlet));
        } else if (mayContinue) {
            note(turn, continuationNote(path, turn.staging.read(path) ?? ""));
        } else {
            continue;
        }
        hasNote = true;
    }
    return hasNote;
}

async function review(turn: Turn, file: StagedFile, outlet: Outlet): Promise<void> {
    const { fileId, path, text } = file;
    const observed: { path: string; hash: string | null }[] = [];
    const { result, isOver } = await reviewed(turn, file, observed, outlet);
    note(turn, outcomeNote(path, result), observed);
    // After the note: a kill in between may offer the text twice, but never loses it.
    if (isOver) turn.staging.remove(path);
    const { lines } = text;
    const error = result.ok ? {} : { error: result.error };
    outlet.emit({ type: "file-finished", fileId, path, ok: result.ok, lines, ...error });
}

/** `isOver`: the staged text can be removed. */
async function reviewed(
    turn: Turn,
    { fileId, path }: StagedFile,
    observed: { path: string; hash: string | null }[],
    outlet: Outlet
): Promise<{ readonly result: ToolResult; readonly isOver: boolean }> {
    const workspace = workspaceOf(turn, fileId, outlet);
    const proposal = await expectedAsFailure(proposeFile(turn, workspace, path));
    if (!proposal.ok) {
        const result = await withEditors(turn, proposal, [path]);
        return { result, isOver: result.error.code !== "changed-since-read" };
    }
    const { changeSet } = proposal;
    const input = { path, content: turn.staging.read(path) ?? "" };
    const equivalents = [
        { tool: "Write", input: { file_path: path, content: input.content } },
    ] as const;
    const base = { callId: fileId, tool: "NORTH_FILE", approval: "write", input } as const;
    const call = { ...base, equivalents };
    const { deny, ask } = (await turn.checks?.beforeCall(call)) ?? {};
    for (const told of turn.checks?.takeProblems() ?? []) {
        outlet.emit({ type: "notice", text: told });
    }
    if (deny !== undefined) return { result: failure("refused-by-check", deny), isOver: true };
    const observeWritten = (written: ChangedFile, version: "proposed" | "other") => {
        if (version === "proposed") observed.push({ path: written.path, hash: written.afterHash });
    };
    const change = { callId: fileId, changeSet, observeWritten, alwaysAsks: ask };
    const result = await expectedAsFailure(reviewChange(turn, change, outlet));
    if (result.ok || result.error.code === "rejected") return { result, isOver: true };
    const hint = [result.error.hint, REVIEW_AGAIN].filter(Boolean).join(" ");
    return { result: { ok: false, error: { ...result.error, hint } }, isOver: false };
}

async function expectedAsFailure<Value>(work: Promise<Value>): Promise<Value | ToolFailure> {
    try {
        return await work;
    } catch (error) {
        if (!isExpectedError(error)) throw error;
        return failureOf(error);
    }
}

export function note(turn: Turn, text: string, observed: HostNoteEntry["observed"] = []): void {
    const seen = observed.length > 0 && { observed };
    addEntry(turn, { kind: "host_note", text, ...seen });
}

/** Proposes a streamed text as the whole content of a file. Rejects like the workspace. */
async function proposeFile(turn: Turn, workspace: Workspace, path: string): Promise<Proposal> {
    const text = turn.staging.read(path) ?? "";
    if ((await workspace.status(path)) === null) {
        const after = new TextEncoder().encode(text);
        return { ok: true, changeSet: { changes: [change(path, null, after)] } };
    }
    const existing = await workspace.read(path);
    const after = contentInPlaceOf(existing.bytes, text);
    if (after === undefined) {
        return failure("binary-file", `${path} is not a text file and cannot be replaced by text.`);
    }

    if (Buffer.compare(existing.bytes, after) === 0) {
        return failure("no-change", `${path} already has this content.`);
    }

    const seen = turn.conversation.state.observed.get(path) ?? existing.hash;
    if (seen !== existing.hash) {
        const message = `${path} was changed outside North since it was read; replacing it would undo that.`;
        return failure("changed-since-read", message, `Read it again first. ${REVIEW_AGAIN}`);
    }
    return { ok: true, changeSet: { changes: [change(path, existing, after)] } };
}

function change(
    path: string,
    before: { readonly bytes: Uint8Array; readonly hash: string } | null,
    after: Uint8Array
) {
    return { path, before: before?.bytes ?? null, beforeHash: before?.hash ?? null, after };
}

/** Keeps the byte order mark and line endings; `undefined` if the existing is not text. */
function contentInPlaceOf(existing: Uint8Array, text: string): Uint8Array | undefined {
    if (!isByteText(existing)) return undefined;
    const [first, second, third] = existing;
    const mark = first === 0xef && second === 0xbb && third === 0xbf ? "\ufeff" : "";
    const body = text.startsWith("\ufeff") ? text.slice(1) : text;
    const lines = endsLinesWithCrLf(existing) ? body.replace(/(?<!\r)\n/g, "\r\n") : body;
    return new TextEncoder().encode(mark + lines);
}

/** Goes by the first line, as editors do. */
function endsLinesWithCrLf(bytes: Uint8Array): boolean {
    const end = bytes.indexOf(0x0a);
    return end > 0 && bytes[end - 1] === 0x0d;
}
