import { readingAdvice } from "../reading-advice.js";
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
    const undone = [
        ...(git.length > 0 ? [notDone(git)] : []),
        ...(paths.length > 0 ? [`It would have changed ${namesOf(paths)}.`] : []),
    ];
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
        const unapplied = { applied: "none", code: "not-in-this-mode", message } as const;
        const notes = [...ran, ...discarded.notes];
        return annotated(result, { ...how, effects: unapplied, ...discarded.fields, notes });
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
    if (!written.ok && written.error.code !== "rejected") {
        const { message: reason } = written.error;
        const what = describeChanges({
            ...changeSet,
            outputs: outputs.asked,
            ...(repository && { git: repository.shown }),
        });
        const review = { subject: "write", status: "denied", decidedBy: "policy" } as const;
        outlet.emit({ type: "review-settled", callId, ...review, what, command, reason });
    }
    const left = written.ok ? outputFacts(outputs, "kept") : discarded;
    const kept = written.ok ? contained.keep() : undone;
    const notes = [...ran, ...left.notes, ...kept];
    const applied = written.ok ? written.data : { applied: "none", ...written.error };
    const hasEffects = effects.length > 0 || !written.ok;
    const facts = {
        ...how,
        ...(hasEffects && { effects: applied }),
        ...(written.ok && git.length > 0 && { git }),
        ...left.fields,
    };
    return annotated(result, { ...facts, notes });
}

function notDone(git: readonly string[]): string {
    return `Not done in git: ${namesOf(git)}.`;
}
