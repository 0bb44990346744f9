import type { Command } from "@oclif/core";
import { isExpectedError } from "north-cli/plugin";

/** Prints an error with its next steps, like North's own commands. */
export function tellFailure(command: Command, error: Error): never {
    if (!isExpectedError(error)) throw error;
    const lines = [error.message, ...error.nextSteps.map((step) => `  ${step}`)];
    command.logToStderr(lines.join("\n"));
    return command.exit(1);
}
