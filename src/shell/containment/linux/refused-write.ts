import path from "node:path";
import type { ShellOutcome } from "../../../plugin/shell.js";
import type { Refusal } from "../containment.js";
import { mayWrite } from "../real-rights.js";
import type { RefusalWords } from "../start-files.js";
import { statsOf, type View } from "./view.js";

const REFUSED = ["Permission denied", "Operation not permitted", "EACCES", "EPERM"];
/** Of bash, for a program that is not executable. */
const NOT_EXECUTABLE = 126;
const MAX_EXAMINED = 20_000;
const QUOTED = /['"`‘“]([^'"`‘’“”]+)['"`’”]/g;

/** What a command printed, and what its own words for a refusal are. */
interface RefusedOutput {
    readonly outcome: ShellOutcome;
    readonly words: RefusalWords;
    /** Base for relative names. */
    readonly folder: string;
}

/**
 * The write that a failed command says it was refused, in what it could read: this user may write
 * there, so only the rules of a read-only run can have refused it.
 */
export function refusedWrite(
    { outcome, words, folder }: RefusedOutput,
    view: View
): Refusal | undefined {
    if (outcome.exitCode === 0) return undefined;
    const refused = [...REFUSED, ...(words.denied ? [words.denied] : [])];
    const lines = outcome.stderr.slice(-MAX_EXAMINED).split("\n");
    for (const name of lines.flatMap((line) => namesBeside(line, refused))) {
        const location = path.resolve(folder, name);
        const isProgram = outcome.exitCode === NOT_EXECUTABLE && statsOf(location)?.isFile();
        if (!isProgram && isReadable(location, view) && mayWrite(location)) {
            const text = `It needs to write ${view.shortName(location)}, it says`;
            return { what: "outside", text, isSaid: true };
        }
    }
    return undefined;
}

/** The last name before the refusal and the first one after it: `touch 'a': …`, `… open 'a'`. */
function namesBeside(line: string, refused: readonly string[]): readonly string[] {
    const words = refused.find((each) => line.includes(each));
    if (words === undefined) return [];
    const [before = "", after = ""] = line.split(words, 2);
    const text = before.trimEnd();
    const last = text.endsWith(":") ? text.slice(0, -1).split(/\s+/).at(-1) : undefined;
    return [quotedIn(before).at(-1), quotedIn(after)[0], last].flatMap((name) => name || []);
}

function quotedIn(text: string): readonly string[] {
    return [...text.matchAll(QUOTED)].flatMap(([, name]) => name ?? []);
}

function isReadable(path: string, view: View): boolean {
    const around = view.around(path)?.what;
    return around !== "private" && around !== "home" && view.shows(path);
}
