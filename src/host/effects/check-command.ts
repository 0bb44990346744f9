import { readCommand } from "../../code/commands/read-command.js";
import type { IsCheck } from "../../core/history/evidence.js";

/** Recognises checks: those of common tools, and the configured commands. */
export function checkFinder(own: readonly string[] = []): IsCheck {
    return async (command) => own.includes(command.trim()) || (await readCommand(command)).isCheck;
}
