import { counted, formatUsd } from "../../base/format.js";
import { safeJson, safeLine } from "../../base/safe-text.js";
import { isPrintResult } from "../../chat/print/run-print.js";
import { IN_PROGRESS_EXIT_CODE } from "../../storage/conversations/keyed-runs.js";
import type { Progress, TaskResult, TasksOutcome } from "./run-tasks.js";
import type { ListedTask } from "./task-list.js";

/** One task's result as a JSON line, or as a line of SWE-bench's predictions. */
export function resultLine(
    { id }: ListedTask,
    result: TaskResult,
    { predictions }: { readonly predictions: boolean }
): string {
    if (!isPrintResult(result)) {
        const { code, message, nextSteps } = result.error;
        const error = { code, message, nextSteps };
        if (predictions) return safeJson(prediction(id, "north", ""));
        return safeJson({ id, stopReason: result.stopReason, isError: true, error });
    }
    const { type: _, result: answer, draft, ...facts } = result;
    const { patch = "", files = [] } = draft ?? {};
    if (predictions) return safeJson(prediction(id, `north/${result.model}`, patch));
    return safeJson({ id, answer, patch, files, ...facts });
}

/** Why a task failed, with the next steps that were not `told` yet; `undefined` if it did not. */
export function failureText(
    { id }: ListedTask,
    { error }: TaskResult,
    told: Set<string>
): string | undefined {
    if (!error) return undefined;
    const steps = error.nextSteps.filter((step) => !told.has(step));
    for (const step of steps) told.add(step);
    const lines = steps.map((step) => `  ${safeLine(step)}`);
    return [safeLine(`${id}: ${error.message}`), ...lines].join("\n");
}

/** https://www.swebench.com/SWE-bench/guides/evaluation/ */
function prediction(id: string, name: string, patch: string) {
    return { instance_id: id, model_name_or_path: name, model_patch: patch };
}

export function progressLine({ total, done, failed, running, costUsd }: Progress): string {
    const ended = `${done + failed} of ${total} done`;
    const failures = failed > 0 ? `, ${failed} failed` : "";
    return `${ended}${failures} · ${running} running · ${formatUsd(costUsd)}`;
}

export function endSentence(end: TasksOutcome): string {
    const { total, done, failed, held, unpriced, isCapReached, costUsd } = end;
    const left = total - done - failed - held;
    const parts = [
        `${done} done`,
        ...(failed > 0 ? [`${failed} failed`] : []),
        ...(held > 0 ? [`${held} in progress elsewhere`] : []),
        ...(left > 0 ? [`${left} not finished`] : []),
    ];
    const notes = [
        ...(isCapReached ? ["The cost limit is reached: raise --max-cost to continue."] : []),
        ...(unpriced > 0 ? [`The price of ${counted(unpriced, "task")} is unknown.`] : []),
        ...(left > 0 && !isCapReached ? ["The same command resumes them."] : []),
    ];
    return [
        `${counted(total, "task")}: ${parts.join(", ")} · ${formatUsd(costUsd)}.`,
        ...notes,
    ].join(" ");
}

/** See docs/fleet.md. */
export function exitCodeOfTasks({ isCapReached, held, failed }: TasksOutcome): number {
    if (isCapReached) return 3;
    if (held > 0) return IN_PROGRESS_EXIT_CODE;
    return failed > 0 ? 1 : 0;
}
