import type { Mode } from "../../plugin/modes.js";

/** For a model that wants a change in a mode that only reads. */
export function readingAdvice(mode: Mode): string {
    return mode === "plan"
        ? "Put the change into the plan."
        : "Describe the change; the user can switch to agent mode.";
}
