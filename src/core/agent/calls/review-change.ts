import { sameBytes } from "../../../base/same-bytes.js";
import type {
    ChangedFile,
    ChangeEntry,
    ChangeSet,
    Finding,
    Proposal,
    ToolFailure,
    ToolResult,
    WriteData,
} from "../../../plugin/index.js";
import { findingLine } from "../../../plugin/change-set.js";
import { isExpectedError } from "../../../base/north-error.js";
import { visibleLine } from "../../../base/safe-text.js";
import type { FileDiff } from "../../diff/diff.js";
import type { Decision } from "../../approval/approver.js";
import { type ChangeRange, joined } from "../../approval/changes.js";
import { type ContainedOutputs, NO_OUTPUTS } from "../../approval/contained-runs.js";
import type { ContainedRepository } from "../../approval/contained-repository.js";
import { whyAlwaysAsked } from "../../approval/policy.js";
import { failure } from "../failure.js";
import type { Turn } from "../turn.js";
import { applyRecorded } from "../changes/apply-recorded.js";
import { draftChange } from "../changes/draft-change.js";
import { authorize, denied, type Settlement } from "./authorize.js";
import { keepOutputs } from "./keep-outputs.js";
import type { Outlet } from "./relay.js";
import { stoppedByStandIn } from "./secrets-in-results.js";
import { gitLine } from "../../../plugin/git-changes.js";

interface ProposedChange {
    /** Id of the call or the streamed file. */
    readonly callId: string;
    readonly changeSet: ChangeSet;
    readonly command?: string;
    /** Why the command is not allowed to run for real now, as a sentence. */
    readonly lapsed?: string | undefined;
    /** What the command left where git ignores it. */
    readonly outputs?: ContainedOutputs;
    /** What the command did in git's folder. */
    readonly repository?: ContainedRepository | undefined;
    /** What "always" allows, if there are only outputs. */
    readonly outputKeys?: readonly string[];
    /** Why it is always asked about, in addition to the policy's reasons. */
    readonly alwaysAsks?: string | undefined;
    /** Called if the user approved exactly this change and it was written. */
    onApproved?(range: ChangeRange): Promise<void>;
    /** More for the user to know of it as it is now, one line each. */
    findings?(changeSet: ChangeSet): readonly string[];
    /** Proposes the change again, based on the current files. */
    rebuild?(): Promise<Proposal>;
    /** What was reviewed on files that changed since is rebuilt and shown again. */
    readonly isShownAgain?: boolean;
    /**
     * Called for each written file. It is another version if the user edited it in the review, or a
     * command wrote it: one that the model has not seen.
     */
    observeWritten(file: ChangedFile, version: "proposed" | "other"): void;
}

/** Reviews a change until it is decided, then applies exactly that. Throws as applying does. */
export async function reviewChange(
    turn: Turn,
    { callId, command, observeWritten, ...proposed }: ProposedChange,
    outlet: Outlet
): Promise<ToolResult<WriteData>> {
    const stopped = stoppedByStandIn(proposed.changeSet);
    if (stopped) return stopped;
    const { diffsOf } = await import("../../diff/diff.js");
    const { outputs = NO_OUTPUTS, repository } = proposed;
    let { changeSet, rebuild } = proposed;
    let hunks: readonly string[] | undefined;
    const altered = new Set<string>();
    for (;;) {
        changeSet = withOthers(await turn.project.applier.resolve(changeSet), outputs, repository);
        const diffs = diffsOf(changeSet);
        const [findings = [], edits = []] = await Promise.all([
            turn.checks?.onProposal(changeSet),
            turn.project.editedElsewhere?.(namesIn(changeSet)),
        ]);
        const refusals = findings.filter(({ refuses }) => refuses);
        if (refusals.length > 0) return refusedBy(refusals);
        const editors = edits.filter(({ isNews }) => isNews).map(({ text }) => text);
        const own = [proposed.lapsed ?? [], proposed.findings?.(changeSet) ?? []].flat();
        const warnings = [...own, ...editors, ...findings.map(findingLine)];
        for (const text of turn.checks?.takeProblems() ?? []) outlet.emit({ type: "notice", text });
        const from = command === undefined ? {} : { command };
        const alwaysAsks = proposed.alwaysAsks ?? whyAlwaysAsked(changeSet, turn.session.runGrants);
        const request = {
            kind: "write",
            ...{ callId, changeSet, diffs, ...from },
            ...besideChanges(proposed, assistedBy(turn)),
            ...(alwaysAsks !== undefined && { alwaysAsks }),
            ...(warnings.length > 0 && { findings: warnings }),
        } as const;
        const decision = turn.project.draft ? DRAFT : await authorize(turn, request, outlet);
        if (decision.kind === "modify") {
            for (const path of alteredIn(decision.changeSet, changeSet)) altered.add(path);
            ({ changeSet, hunks } = decision);
            continue;
        }
        if (decision.kind !== "approve") return notWritten(decision, alwaysAsks);
        // A cancel waits for the end of writing, so that the log records what was written.
        turn.signal.throwIfAborted();
        const obstacle = await repository?.obstacle();
        if (obstacle !== undefined) return stale(obstacle, "while the command ran or was reviewed");
        const outcome = await applyChange(turn, changeSet, { callId, ...from }, repository);
        if (outcome.kind === "stale") {
            // A new proposal would have what the user took out of this one.
            const again = !hunks || proposed.isShownAgain ? await rebuild?.() : undefined;
            if (!again) return withEditors(turn, changedSince(outcome.paths), outcome.paths);
            if (!again.ok) return withEditors(turn, again, outcome.paths);
            ({ changeSet } = again);
            hunks = undefined;
            // Unseen only once: someone may keep writing.
            if (decision.decidedBy === "user") outlet.emit(lookAgain(outcome.paths));
            else rebuild = undefined;
            continue;
        }
        if (decision.withTrailer) await addTrailer(turn, repository, outlet);
        if (turn.project.draft) outlet.emit({ type: "change-drafted", callId, diffs, ...from });
        const range = joined(outcome.range, await keepOutputs(turn, outputs, outlet));
        const isExact = !hunks && decision.decidedBy === "user";
        if (isExact && range) await proposed.onApproved?.(range);
        for (const file of outcome.files) {
            const isProposed = command === undefined && !altered.has(file.path);
            observeWritten(file, isProposed ? "proposed" : "other");
        }
        return { ok: true, data: writtenData(turn, diffs, hunks, findings, editors) };
    }
}

/**
 * As the Linux kernel has it, agent and model:
 * https://docs.kernel.org/process/coding-assistants.html
 */
function assistedBy({ model }: Pick<Turn, "model">): string {
    return `Assisted-by: North:${visibleLine(model.info.id)}`;
}

/** Without its trailer the commit is still what the user approved. */
async function addTrailer(
    turn: Turn,
    repository: ContainedRepository | undefined,
    outlet: Outlet
): Promise<void> {
    try {
        await repository?.addTrailer?.(assistedBy(turn));
    } catch (error) {
        if (!isExpectedError(error)) throw error;
        outlet.emit({ type: "notice", text: `The trailer was not added: ${error.message}` });
    }
}

function notWritten(decision: Decision, alwaysAsks: string | undefined): ToolFailure {
    const message = "The user rejected the change; nothing was written.";
    const { error } = denied(decision, message, "rejected", "Not written");
    const hint = [alwaysAsks, error.hint].filter(Boolean).join(" ");
    return failure(error.code, error.message, hint);
}

/** A draft is reviewed as a whole. */
const DRAFT: Settlement = { kind: "approve", decidedBy: "policy" };

/** Files whose content the user changed in the review. */
function alteredIn({ changes }: ChangeSet, proposed: ChangeSet): readonly string[] {
    const contents = new Map(proposed.changes.map(({ path, after }) => [path, after]));
    return changes.flatMap(({ path, realPath = path, after }) => {
        return sameBytes(after, contents.get(path) ?? null) ? [] : [path, realPath];
    });
}

function writtenData(
    { project: { draft } }: Pick<Turn, "project">,
    diffs: readonly FileDiff[],
    hunks: readonly string[] | undefined,
    findings: readonly Finding[],
    editors: readonly string[]
): WriteData {
    return {
        applied: draft ? "drafted" : hunks ? "some" : "all",
        files: diffs.flatMap(({ path, linesAdded, linesRemoved, count }) =>
            count === undefined ? { path, linesAdded, linesRemoved } : []
        ),
        hunks,
        ...(findings.length > 0 && { findings }),
        ...(editors.length > 0 && { notes: editors }),
    };
}

/** The names asked for, and the real ones where links lead elsewhere. */
function namesIn({ changes }: ChangeSet): readonly string[] {
    return [...new Set(changes.flatMap(({ path, realPath = path }) => [path, realPath]))];
}

function withOthers(
    { changes }: ChangeSet,
    { asked }: ContainedOutputs,
    repository: ContainedRepository | undefined
): ChangeSet {
    return {
        changes,
        ...(asked.length > 0 && { outputs: asked }),
        ...(repository && { git: repository.shown }),
    };
}

/** For the request: what may be allowed always, and a look at what is not a change. */
function besideChanges(
    {
        outputs = NO_OUTPUTS,
        outputKeys,
        repository,
    }: Pick<ProposedChange, "outputs" | "outputKeys" | "repository">,
    trailer: string
) {
    const hasOutputs = outputs.asked.length > 0;
    const look = () => {
        const [left, committed] = [outputs.look(), repository?.look()];
        const changes = [...(committed?.changes ?? []), ...left.changes];
        return { changes, more: left.more + (committed?.more ?? 0) };
    };
    return {
        ...(hasOutputs && { outputKeys }),
        ...((hasOutputs || repository) && { look }),
        ...(repository?.addTrailer && { trailer }),
    };
}

/**
 * Writes files, and takes over what a contained command did in git's folder. Contents that the
 * project does not hold end what was allowed before, like any change: an allowed command may check
 * them out.
 */
async function applyChange(
    turn: Turn,
    changeSet: ChangeSet,
    origin: Pick<ChangeEntry, "callId" | "command">,
    repository: ContainedRepository | undefined
): ReturnType<typeof applyRecorded> {
    if (!repository) return writeFiles(turn, changeSet, origin);
    const { isPlain, changes } = repository.shown;
    const outcome = await repository.take(changeSet.changes, async () => {
        const written = await writeFiles(turn, changeSet, origin);
        if (written.kind !== "applied" || isPlain) return written;
        const taken = await turn.project.grants.changes.add(undefined);
        return { ...written, range: joined(written.range, taken) };
    });
    if (outcome.kind === "applied") {
        turn.log.event("info", "git_changes_taken", { what: changes.map(gitLine) });
    }
    return outcome;
}

async function writeFiles(
    turn: Turn,
    changeSet: ChangeSet,
    origin: Pick<ChangeEntry, "callId" | "command">
): ReturnType<typeof applyRecorded> {
    if (changeSet.changes.length === 0) return { kind: "applied", files: [] };
    const paths = namesIn(changeSet);
    turn.log.event("info", "write_apply_start", { paths });
    const apply = turn.project.draft ? draftChange : applyRecorded;
    const outcome: Awaited<ReturnType<typeof applyRecorded>> = await apply(turn, changeSet, origin);
    turn.log.event("info", "write_apply_complete", { paths, outcome: outcome.kind });
    return outcome;
}

function refusedBy(findings: readonly Finding[]): ToolFailure {
    return failure(
        "refused-by-check",
        `Nothing was written. ${findings.map(findingLine).join("\n")}`,
        "Propose the change again without these problems."
    );
}

function lookAgain(paths: readonly string[]) {
    const text = `${paths.join(", ")} changed after the review: look again.`;
    return { type: "notice", text } as const;
}

function changedSince(paths: readonly string[]): ToolFailure {
    return stale(`${paths.join(", ")} changed`, "after the review");
}

function stale(what: string, since: string): ToolFailure {
    return failure(
        "changed-since-review",
        `Nothing was written: ${what} ${since}.`,
        "Read it again, then retry."
    );
}

/** Adds to a failed edit which other conversations recently edited its files. */
export async function withEditors(
    { project: { editedElsewhere } }: Pick<Turn, "project">,
    { error }: ToolFailure,
    paths: Iterable<string>
): Promise<ToolFailure> {
    const edits = (await editedElsewhere?.([...paths])) ?? [];
    const hint = [...edits.map(({ text }) => `${text}.`), error.hint].filter(Boolean);
    return { ok: false, error: hint.length === 0 ? error : { ...error, hint: hint.join(" ") } };
}
