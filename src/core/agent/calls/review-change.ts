import type { ChangeEntry } from "../../../plugin/records.js";
import type {
    ChangeSet,
    Finding,
    Proposal,
    ToolFailure,
    ToolResult,
    WriteData,
} from "../../../plugin/index.js";
import { findingLine } from "../../../plugin/change-set.js";
import { whyAlwaysAsked } from "../../approval/policy.js";
import { applyRecorded } from "./apply-recorded.js";
import { authorize, isGranted } from "./authorize.js";
import { NOBODY_TO_ASK, type Outlet } from "./relay.js";
import { suspendCommandsOf } from "./suspend-commands.js";
import type { Turn } from "../turn.js";
import { withEditors } from "./with-editors.js";

/** A change that needs approval. */
export interface ProposedChange {
    /** Id of the call or the streamed file. */
    readonly callId: string;
    readonly intent: string;
    readonly changeSet: ChangeSet;
    /** It is what this command did, contained. */
    readonly command?: string;
    /** Proposes it again, for the files as they are now. */
    rebuild?(): Promise<Proposal>;
    /** Says that the versions of these files are now what the model knows. */
    observeWritten(path: string, hash: string | null): void;
}

/**
 * Shows a change until it is approved or rejected, then applies exactly what was shown. May throw
 * what applying throws.
 */
export async function reviewChange(
    turn: Turn,
    { callId, intent, command, observeWritten, ...proposed }: ProposedChange,
    outlet: Outlet
): Promise<ToolResult<WriteData>> {
    const { diffsOf } = await import("../../approval/diff.js");
    let { changeSet, rebuild } = proposed;
    let hunks: readonly string[] | undefined;
    for (;;) {
        const diffs = diffsOf(changeSet);
        const paths = changeSet.changes.map(({ path }) => path);
        const [findings = [], editors = []] = await Promise.all([
            turn.checks?.onProposal(changeSet),
            turn.editedElsewhere?.(paths),
        ]);
        const refusals = findings.filter(({ refuses }) => refuses);
        if (refusals.length > 0) return refusedBy(refusals);
        const warnings = [...editors, ...findings.map(findingLine)];
        for (const text of turn.checks?.takeProblems() ?? []) outlet.tell({ type: "notice", text });
        const from = command === undefined ? {} : { command };
        const alwaysAsks = whyAlwaysAsked(changeSet, turn.runGrants);
        const request = {
            kind: "write",
            ...{ callId, intent, changeSet, diffs, ...from },
            ...(alwaysAsks !== undefined && { alwaysAsks }),
            ...(warnings.length > 0 && { findings: warnings }),
        } as const;
        const decision = await authorize(turn, request, outlet);
        if (decision.kind === "deny") return rejected(decision.reason);
        if (decision.kind === "modify") {
            ({ changeSet, hunks } = decision);
            continue;
        }
        // Once writing has started a cancel waits for its end, so that the log records what was
        // written.
        turn.signal.throwIfAborted();
        const outcome = await applied(turn, changeSet, { callId, ...from }, outlet);
        if (outcome.kind === "stale") {
            // What nobody reviewed can be proposed again; once, for somebody else may go on writing.
            if (!rebuild || hunks || !(await isGranted(turn, request))) {
                return withEditors(turn, stale(outcome.paths), outcome.paths);
            }
            const again = await rebuild();
            if (!again.ok) return again;
            ({ changeSet } = again);
            rebuild = undefined;
            continue;
        }
        for (const { path, afterHash } of outcome.files) observeWritten(path, afterHash);
        const files = diffs.map(({ path, linesAdded, linesRemoved }) => ({
            path,
            linesAdded,
            linesRemoved,
        }));
        return {
            ok: true,
            data: {
                applied: hunks ? "some" : "all",
                files,
                ...(hunks && { hunks }),
                ...(findings.length > 0 && { findings }),
                ...(editors.length > 0 && { notes: editors }),
            },
        };
    }
}

async function applied(
    turn: Turn,
    changeSet: ChangeSet,
    origin: Pick<ChangeEntry, "callId" | "command">,
    outlet: Outlet
) {
    const paths = changeSet.changes.map(({ path }) => path);
    turn.log.event("info", "write_apply_start", { paths });
    const outcome = await applyRecorded(turn, changeSet, origin);
    turn.log.event("info", "write_apply_complete", { paths, outcome: outcome.kind });
    if (outcome.kind === "applied") await suspendCommandsOf(turn, paths, outlet);
    return outcome;
}

function rejected(reason: string | undefined): ToolFailure {
    if (reason === NOBODY_TO_ASK) {
        return { ok: false, error: { code: "rejected", message: `Not written: ${reason}.` } };
    }
    return {
        ok: false,
        error: {
            code: "rejected",
            message: "The user rejected the change; nothing was written.",
            ...(reason ? { hint: `Reason: ${reason}` } : {}),
        },
    };
}

function refusedBy(findings: readonly Finding[]): ToolFailure {
    const message = `Nothing was written. ${findings.map(findingLine).join("\n")}`;
    const hint = "Propose the change again without these faults.";
    return { ok: false, error: { code: "refused-by-check", message, hint } };
}

function stale(paths: readonly string[]): ToolFailure {
    return {
        ok: false,
        error: {
            code: "changed-since-review",
            message: `Nothing was written: ${paths.join(", ")} changed after the review.`,
            hint: "Read again and propose a new edit.",
        },
    };
}
