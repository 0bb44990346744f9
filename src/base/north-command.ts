import { constants } from "node:fs";
import path from "node:path";
import { canAccess } from "./paths.js";
import { quote } from "./shell-quote.js";
import { absoluteSearchPath } from "./search-path.js";

/**
 * What starts this program from the current folder: `north` where PATH has it, and in a clone that
 * was never linked `node bin/run.js`. For hints that a person may type at once.
 */
export function northCommand(
    searchPath = process.env.PATH,
    program = process.argv[1],
    folder = process.cwd()
): string {
    const folders = absoluteSearchPath(searchPath).split(path.delimiter);
    if (
        program === undefined ||
        folders.some((each) => canAccess(path.join(each, "north"), constants.X_OK))
    ) {
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
