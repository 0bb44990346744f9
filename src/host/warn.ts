import { showControls } from "../base/safe-text.js";

const printed = new Set<string>();

/** Prints each warning of a command outside the chat once. */
export function warn(warning: string): void {
    if (printed.has(warning)) return;
    printed.add(warning);
    process.stderr.write(`${showControls(warning)}\n`);
}
