import { showControls } from "../base/safe-text.js";

const told = new Set<string>();

/** Tells once of damage that a command outside of the chat has survived. */
export function warn(warning: string): void {
    if (told.has(warning)) return;
    told.add(warning);
    process.stderr.write(`${showControls(warning)}\n`);
}
