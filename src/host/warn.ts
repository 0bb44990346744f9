import { showControls } from "../base/safe-text.js";

const told = new Set<string>();

/** Prints each warning of a command outside the chat once. */
export function warn(warning: string): void {
    if (told.has(warning)) return;
    told.add(warning);
    process.stderr.write(`${showControls(warning)}\n`);
}
