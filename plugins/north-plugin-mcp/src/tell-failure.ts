import type { Command } from "@oclif/core";
import { isExpectedError } from "north-cli/plugin";

/** A failure in a sentence with what to do next, as North's own commands tell it. */
export function tellFailure(command: Command, error: Error): never {
    if (!isExpectedError(error)) throw error;
    const lines = [error.message, ...error.nextSteps.map((step) => `  ${step}`)];
    command.logToStderr(lines.join("\n"));
    return command.exit(1);
}
