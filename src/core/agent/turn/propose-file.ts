import type { Proposal, ToolFailure, Workspace } from "../../../plugin/index.js";
import { contentInPlaceOf, isSameContent } from "../../files/proposed-content.js";
import type { Turn } from "../turn.js";

/** Said where the text stays in the staging, to be reviewed again as it is. */
export const REVIEW_AGAIN =
    'The text is kept: an empty block with mode="append" has it reviewed again.';

/**
 * The change that puts a streamed text in place: a new file, or all of one that exists. Rejects as
 * the workspace does.
 */
export async function proposeFile(
    turn: Turn,
    workspace: Workspace,
    path: string
): Promise<Proposal> {
    const text = turn.staging.read(path) ?? "";
    if ((await workspace.status(path)) === null) {
        const after = new TextEncoder().encode(text);
        return { ok: true, changeSet: { changes: [change(path, null, after)] } };
    }
    const existing = await workspace.read(path);
    const after = contentInPlaceOf(existing.bytes, text);
    if (after === undefined) {
        return failure("binary-file", `${path} is no text that can be replaced by text.`);
    }

    if (isSameContent(existing.bytes, after)) {
        return failure("no-change", `${path} is like that already.`);
    }

    const seen = turn.conversation.observed.get(path) ?? existing.hash;
    if (seen !== existing.hash) {
        const message = `${path} was changed by somebody else since it was read; replacing it would undo that.`;
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

function failure(code: string, message: string, hint?: string): ToolFailure {
    return { ok: false, error: { code, message, ...(hint ? { hint } : {}) } };
}
