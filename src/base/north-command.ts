import path from "node:path";
import { quote } from "./shell-quote.js";
import { absoluteSearchPath, findProgram } from "./search-path.js";

/**
 * What starts this program from the current folder: `north` where PATH has it, and in a clone that
 * was never linked `node bin/run.js`. For hints that a person may type at once.
 */
export function northCommand(
    searchPath = process.env.PATH,
    program = process.argv[1],
    folder = process.cwd()
): string {
    if (program === undefined || findProgram("north", absoluteSearchPath(searchPath))) {
        return "north";
    }
    const relative = path.relative(folder, program);
    const shorter = relative.length < program.length ? relative : program;
    return `node ${/^[\w./@][\w./@-]*$/.test(shorter) ? shorter : quote(shorter)}`;
}

/** A hint whose commands, such as `north login` in backticks, can be typed from the current folder. */
export function typeable(hint: string): string {
    return hint.replaceAll(/(?<=`|\| )north(?=[ `])/g, () => northCommand());
}
