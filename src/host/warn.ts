import { Once } from "../base/once.js";
import { printToStderr } from "../base/stderr.js";

/** For the whole process, which runs one command. */
const printed = new Once();

/** Prints each warning of a command outside the chat once. */
export function warn(warning: string): void {
    if (printed.first(warning)) printToStderr(warning);
}
