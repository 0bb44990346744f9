import { access, constants, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { northCommand } from "../../base/north-command.js";
import { NorthError } from "../../base/north-error.js";
import { isInside } from "../../base/paths.js";
import { ifAbsent, messageOf } from "../../base/system-error.js";
import type { PrintedDraft } from "../../chat/print/run-print.js";
import { type RunGrants, whyAlwaysAsked } from "../../core/approval/policy.js";
import type { PlannedDraft } from "../../plugin/index.js";
import { findRoot } from "../../workspace/find-root.js";
import { resolveInside } from "../../workspace/safe-path.js";
import { draftPatch, type DraftHost, prepareDraft } from "./drafts.js";

interface PrintedDraftOptions {
    readonly file: string | undefined;
    readonly applies: boolean;
    readonly grants: RunGrants;
}

/**
 * What print mode does with the draft at the end: writes its patch, and applies it if that is wanted.
 * Rejects with `not-writable`, `not-approved`, `draft-conflicts` or `changed-since`.
 */
export async function settlePrintedDraft(
    host: DraftHost,
    { file, applies, grants }: PrintedDraftOptions
): Promise<PrintedDraft> {
    const { view } = host.conversation.state.draft;
    const patch = (await draftPatch(view, host.project.contents)).toString("utf8");
    if (file !== undefined && file !== "-") await writePatch(file, patch);
    const planned = applies ? await prepareDraft(host) : undefined;
    if (planned) refuseAsked(host, planned, grants);
    await planned?.apply();
    const printed = { files: [...view.keys()].sort(), patch, patchFile: file };
    if (!planned) return { ...printed, applied: false };
    return { ...printed, applied: true, evidence: await evidenceOfLastTurn(host) };
}

/** Security: automatic edits do not cover what is always asked about, nor does a draft of it. */
function refuseAsked(
    { conversation }: DraftHost,
    { changeSet }: PlannedDraft,
    grants: RunGrants
): void {
    const reason = whyAlwaysAsked(changeSet, grants);
    if (reason === undefined) return;
    throw new NorthError("not-approved", `The draft was not applied. ${reason}`, [
        `\`${northCommand()} draft apply ${conversation.state.id}\` reviews and applies it.`,
    ]);
}

async function evidenceOfLastTurn({ conversation, readChecks }: DraftHost) {
    const { entries } = conversation.state;
    const from = entries.findLastIndex(({ kind }) => kind === "user");
    const { evidenceOf } = await import("../../core/history/evidence.js");
    return evidenceOf(entries, from, readChecks);
}

/** Never follows a link of the repository around the current folder. Rejects with `not-writable`. */
export async function writePatch(file: string, patch: string | Buffer): Promise<void> {
    try {
        await refuseLinks(path.resolve(file));
        await writeFile(file, patch);
    } catch (error) {
        throw notWritable(file, error);
    }
}

/** Rejects with `not-writable` before a run is paid whose patch could not be written. */
export async function assertWritable(file: string): Promise<void> {
    try {
        await refuseLinks(path.resolve(file));
        const present = await ifAbsent(stat(file), undefined);
        if (present?.isDirectory()) throw new Error("it is a folder");
        await access(present ? file : path.dirname(file), constants.W_OK);
    } catch (error) {
        throw notWritable(file, error);
    }
}

function notWritable(file: string, error: unknown): NorthError {
    return new NorthError("not-writable", `${file} cannot be written: ${messageOf(error)}.`, [
        "Choose a file in an existing folder that you can write to.",
    ]);
}

/** A link may lead to a file outside, or to one that runs later. */
async function refuseLinks(absolute: string): Promise<void> {
    const { root } = await findRoot(process.cwd());
    if (!isInside(root, absolute)) return;
    const real = await resolveInside(root, absolute).catch(() => undefined);
    if (real?.absolute !== absolute) throw new Error("a link in the repository leads elsewhere");
}
