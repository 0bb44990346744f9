import path from "node:path";

import { messageOf } from "../base/system-error.js";
import { isExpectedError } from "../base/north-error.js";
import { typeable } from "../base/north-command.js";
import { safeLine } from "../base/safe-text.js";
import type { Theme } from "./terminal/theme.js";

/** An expected error with its next steps, or one line for a bug that points to the log. */
export function describeError(error: unknown, logPath: string, theme: Theme): string {
    if (isExpectedError(error)) {
        const steps = error.nextSteps.map((step) => theme.quiet(`  → ${safeLine(typeable(step))}`));
        return [theme.error(`✘ ${safeLine(error.message)}`), ...steps].join("\n");
    }
    const message = messageOf(error);
    const what = safeLine(message).slice(0, 200);
    return theme.error(`✘ Something went wrong inside North: ${what}. Details: ${logPath}`);
}

export function logPathOf(environment: NodeJS.ProcessEnv): string {
    const folder =
        environment.NORTH_STATE_DIR ??
        path.join(environment.HOME ?? "~", ".local", "state", "north");
    return path.join(folder, "north.log");
}
