import path from "node:path";
import { quotedNames, type Traces } from "../find-refusal.js";
import type { Refusal } from "../containment.js";
import { mayWrite } from "../file-access.js";
import { statsOf, type View } from "./view.js";

const REFUSED = ["Permission denied", "Operation not permitted", "EACCES", "EPERM"];
/** Of bash, for a program that is not executable. */
const NOT_EXECUTABLE = 126;
const MAX_EXAMINED = 20_000;

interface RefusedOutput extends Pick<Traces, "command" | "outcome" | "words" | "folder"> {
    /** Whether a file is kept from the command altogether, so that a read is what was refused. */
    isHidden(location: string): boolean;
}

/**
 * The write that a failed command says it was refused, in what it could read: this user may write
 * there, so only the rules of a read-only run can have refused it.
 */
export function refusedWrite(
    { command, outcome, words, folder, isHidden }: RefusedOutput,
    view: View
): Refusal | undefined {
    if (outcome.exitCode === 0) return undefined;
    const refused = [...REFUSED, ...(words.denied ? [words.denied] : [])];
    const lines = outcome.stderr.slice(-MAX_EXAMINED).split("\n");
    const typed = new Set(command.split(/[\s;&|<>()'"`]+/));
    const isName = (word: string, isFirst: boolean) =>
        /[./]/.test(word) ||
        statsOf(path.resolve(folder, word)) !== undefined ||
        // The first word of a line may be the program's own name.
        (!isFirst && typed.has(word));
    for (const name of lines.flatMap((line) => namesBeside(line, refused, isName))) {
        const location = path.resolve(folder, name);
        if (isHidden(location)) continue;
        const isProgram = outcome.exitCode === NOT_EXECUTABLE && statsOf(location)?.isFile();
        if (!isProgram && isReadable(location, view) && mayWrite(location)) {
            const text = `It needs to write ${view.shortName(location)}, it says`;
            return { what: "outside", text, isSaid: true };
        }
    }
    return undefined;
}

/**
 * The last name before the refusal and the first one after it: `touch 'a': …`, `ld: cannot open a: …`,
 * `… open 'a'`. An operation is not a name: `ptrace: …`, and `tar: a: Cannot open: …` names `a`.
 */
function namesBeside(
    line: string,
    refused: readonly string[],
    isName: (word: string, isFirst: boolean) => boolean
): readonly string[] {
    const words = refused.find((each) => line.includes(each));
    if (words === undefined) return [];
    const [before = "", after = ""] = line.split(words, 2);
    const parts = before.split(/:(?:\s+|$)/).slice(0, -1);
    const last = parts
        .map((part) => part.trim().split(/\s+/).at(-1) ?? "")
        .findLast((word, index) => word !== "" && isName(word, index === 0));
    return [quotedNames(before).at(-1), quotedNames(after)[0], last].flatMap((name) => name || []);
}

function isReadable(path: string, view: View): boolean {
    const around = view.around(path)?.what;
    return around !== "private" && around !== "home" && view.shows(path);
}
