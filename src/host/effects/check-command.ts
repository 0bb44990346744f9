import path from "node:path";
import type { FileFact } from "../../code/commands/facts.js";
import { isInside } from "../../base/paths.js";
import { readCommand } from "../../code/commands/read-command.js";
import type { ReadChecks } from "../../core/history/evidence.js";
import type { ShellOutcome } from "../../plugin/index.js";

/**
 * Finds the checks in a command line: those of common tools, and the configured commands.
 *
 * Security: of a check outside the project no result is known; anything may have the name of one.
 */
export function checkFinder(root: string, own: readonly string[] = []): ReadChecks {
    return async (command, cwd = "") => {
        const { facts, checks, hasOthers, leavesShell } = await readCommand(command);
        const files = facts.filter((fact) => fact.kind === "files");
        const writes = (file: string) => files.some((fact) => mayWrite(fact, cwd, file));
        const line = command.trim();
        if (own.includes(line)) {
            const whole = { name: line, statement: line, decides: true, isFollowed: false };
            return { checks: [whole], hasOthers, leavesShell, writes };
        }
        const inFolder = (name: string) => (cwd === "" ? name : `${cwd}: ${name}`);
        const isInProject = (place: string | undefined) =>
            place !== undefined && isInside(root, path.resolve(root, cwd, place));
        const found = checks.map(({ places, ...check }) => ({
            ...check,
            name: inFolder(check.name),
            decides: check.decides && places.every(isInProject),
        }));
        return { checks: found, hasOthers, leavesShell, writes };
    };
}

/** Whether the shell could not start the command. */
export function couldNotRun({ exitCode }: Pick<ShellOutcome, "exitCode">): boolean {
    return [126, 127].includes(exitCode);
}

function mayWrite({ words, folder, isDeep, does }: FileFact, cwd: string, file: string): boolean {
    if (does === "changes permissions of" || does === "changes the owner of") return false;
    return words.some(({ kind, text }) => {
        if (kind !== "literal" || folder === undefined) return true;
        const written = path.posix.join(cwd, folder, text);
        const isBelow = written === "." || file.startsWith(`${written.replace(/\/$/, "")}/`);
        return written === file || (isDeep && isBelow);
    });
}
