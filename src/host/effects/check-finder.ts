import path from "node:path";
import type { Fact } from "../../code/commands/facts.js";
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
    // The evidence of each turn asks for all commands of the conversation.
    const known = new Map<string, Awaited<ReturnType<ReadChecks>>>();
    const read: ReadChecks = async (command, cwd = "") => {
        const { facts, checks, hasOthers, leavesShell } = await readCommand(command);
        const isInProject = (place: string | undefined) =>
            place !== undefined && isInside(root, path.resolve(root, cwd, place));
        const inProject = (fact: Fact) => mayWrite(fact, isInProject);
        const whole = { hasOthers, leavesShell, writesFiles: facts.some(inProject) };
        const line = command.trim();
        if (own.includes(line)) {
            const check = { name: line, statement: line, decides: true };
            return { ...whole, checks: [{ ...check, isFollowed: false, isOverwritten: false }] };
        }
        const inFolder = (name: string) => (cwd === "" ? name : `${cwd}: ${name}`);
        const found = checks.map(({ places, later, ...check }) => ({
            ...check,
            name: inFolder(check.name),
            decides: check.decides && places.every(isInProject),
            isOverwritten: later.some(inProject),
        }));
        return { ...whole, checks: found };
    };
    return async (command, cwd) => {
        const key = JSON.stringify([command, cwd]);
        const reading = known.get(key) ?? (await read(command, cwd));
        known.set(key, reading);
        return reading;
    };
}

/** Whether the shell could not start the command. */
export function couldNotRun({ exitCode }: Pick<ShellOutcome, "exitCode">): boolean {
    return [126, 127].includes(exitCode);
}

/** Whether it writes or deletes a file of the project, or one that only a run would name. */
function mayWrite(fact: Fact, isInProject: (place: string) => boolean): boolean {
    if (fact.kind !== "files" || fact.does.startsWith("changes")) return false;
    const { words, folder, does } = fact;
    return words.some(({ kind, text }) => {
        if (kind !== "literal" || folder === undefined) return true;
        // A commit writes in its folder, and no file of it.
        return (text !== "." || does !== "writes") && isInProject(path.join(folder, text));
    });
}
