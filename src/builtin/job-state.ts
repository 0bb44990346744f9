import type { Job } from "../plugin/index.js";

/** `running`, `exit 1`, `stopped`. */
export function jobState({ state, exitCode }: Job): string {
    return state === "exited" ? `exit ${exitCode}` : state;
}
