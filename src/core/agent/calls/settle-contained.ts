import { readingAdvice } from "../reading-advice.js";
import { ONLY_FILES_WRITTEN } from "../../../base/repository-plan.js";
import type { ToolResult } from "../../../plugin/index.js";
import { onlyReads } from "../../../plugin/modes.js";
import { gitLine } from "../../../plugin/git-changes.js";
import type { ChangeRange } from "../../approval/changes.js";
import { describeChanges, type Judgement, renewPermission } from "./authorize.js";
import { annotated, howRun, namesOf, type RanContained } from "./contained-result.js";
import { keepOutputs, outputFacts, outputKeysOf } from "./keep-outputs.js";
import { reviewChange } from "./review-change.js";
import { failureFrom, type RunningCall } from "./running-call.js";

export interface ContainedCall {
    readonly running: RunningCall;
    readonly plan: { readonly command: string };
    readonly judged: Judgement;
    /** Why its permission does not count, as a clause. */
    readonly lapsed: string | undefined;
}

/** Reviews what a contained command changed; a mode that only reads allows nothing. */
export async function settleContained(
    { running, plan: { command }, judged, lapsed }: ContainedCall,
    { result, contained }: RanContained
): Promise<ToolResult> {
    const { turn, call, outlet, observeWritten } = running;
    const { callId } = call;
    const { effects, outputs } = contained;
    const lines = (contained.repository?.shown.changes ?? []).map(gitLine);
    // The project does not hold yet what was committed or staged of a draft.
    const { draft } = turn.project;
    const repository = draft ? undefined : contained.repository;
    const git = draft ? [] : lines;
    const ran = [...contained.notes, ...(draft && lines.length > 0 ? [notDone(lines)] : [])];
    const paths = effects.map(({ path }) => path);
    const uncommitted = git.length > 0 ? [notDone(git)] : [];
    const unwritten = paths.length > 0 ? [`It would have changed ${namesOf(paths)}.`] : [];
    const undone = [...uncommitted, ...unwritten];
    const how = howRun(lapsed);
    const isReading = onlyReads(turn.settings.mode);
    const discarded = outputFacts(outputs, "discarded");
    if (undone.length === 0 && (isReading || outputs.asked.length === 0)) {
        if (!isReading) await keepOutputs(turn, outputs, outlet);
        const notes = [...ran, ...discarded.notes, ...contained.keep()];
        return annotated(result, { ...how, ...discarded.fields, notes });
    }
    if (isReading) {
        const { mode } = turn.settings;
        const unchanged = `In ${mode} mode nothing is changed. ${readingAdvice(mode)}`;
        const message = [...undone, unchanged].join(" ");
        const effect = { applied: "none", code: "not-in-this-mode", message } as const;
        const notes = [...ran, ...discarded.notes];
        return annotated(result, { ...how, effects: effect, ...discarded.fields, notes });
    }
    const changeSet = { changes: effects };
    const onApproved = async ({ before, after }: ChangeRange) => {
        // What somebody else changed since it began was not in its effects.
        if (before === judged.mark) await renewPermission(turn, command, judged, after);
    };
    const change = {
        ...{ callId, changeSet, command, observeWritten, onApproved, outputs, repository },
        outputKeys: outputKeysOf(command, judged.folder, outputs.asked),
        ...(lapsed !== undefined && { lapsed: `Contained, because ${lapsed}.` }),
    };
    const written = await reviewChange(turn, change, outlet).catch((error: unknown) =>
        failureFrom(error, running)
    );
    const isOnlyGit = !written.ok && written.error.code === ONLY_FILES_WRITTEN;
    if (!written.ok && written.error.code !== "rejected") {
        const what = describeChanges({
            changes: isOnlyGit ? [] : effects,
            outputs: outputs.asked,
            ...(repository && { git: repository.shown }),
        });
        showRefusal(running, { command, what, reason: written.error.message });
    }
    const left = written.ok ? outputFacts(outputs, "kept") : discarded;
    const failed = isOnlyGit ? uncommitted : undone;
    const kept = written.ok ? contained.keep() : failed;
    const notes = [...ran, ...left.notes, ...kept];
    const unapplied = { applied: isOnlyGit ? "some" : "none" };
    const applied = written.ok ? written.data : { ...unapplied, ...written.error };
    const hasEffects = effects.length > 0 || !written.ok;
    const facts = {
        ...how,
        ...(hasEffects && { effects: applied }),
        ...(written.ok && git.length > 0 && { git }),
        ...left.fields,
    };
    return annotated(result, { ...facts, notes });
}

function showRefusal(
    { call: { callId }, outlet }: RunningCall,
    refused: { readonly command: string; readonly what: string; readonly reason: string }
): void {
    const review = { subject: "write", status: "denied", decidedBy: "policy" } as const;
    outlet.emit({ type: "review-settled", callId, ...review, ...refused });
}

function notDone(git: readonly string[]): string {
    return `Not done in git: ${namesOf(git)}.`;
}
