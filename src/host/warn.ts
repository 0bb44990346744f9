import { Once } from "../base/once.js";
import { showControls } from "../base/safe-text.js";

/** For the whole process, which runs one command. */
const printed = new Once();

/** Prints each warning of a command outside the chat once. */
export function warn(warning: string): void {
    if (printed.first(warning)) process.stderr.write(`${showControls(warning)}\n`);
}
