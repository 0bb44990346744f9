import { addCosts, counted, formatCost } from "../../../base/format.js";
import type { NestedRun, NestedRunOptions } from "../../../plugin/index.js";

type RunCosts = Pick<NestedRun, "calls" | "costUsd">;

/** Tells what runs have done so far, after `prefix`. */
export function runProgress(
    note: (text: string) => void,
    prefix = ""
): NonNullable<NestedRunOptions["onEvent"]> {
    let [calls, costUsd]: [number, number | null] = [0, 0];
    return (event) => {
        if (event.type === "notice") return note(event.text);
        if (event.type === "call") calls += 1;
        if (event.type === "cost") costUsd = addCosts(costUsd, event.costUsd);
        note(prefix + runFacts([{ calls, costUsd }]));
    };
}

/** `12 calls · $0.02` */
export function runFacts(runs: readonly RunCosts[]): string {
    const calls = runs.reduce((total, run) => total + run.calls, 0);
    const costUsd = runs.reduce<number | null>((total, run) => addCosts(total, run.costUsd), 0);
    return `${counted(calls, "call")} · ${formatCost(costUsd)}`;
}

/** Why a run did not end as it should. */
export function runProblem({
    problem,
    stopReason,
}: Pick<NestedRun, "problem" | "stopReason">): string | undefined {
    return problem ?? (stopReason === "end" ? undefined : `It ended early: ${stopReason}.`);
}
