import type { ContextRequest } from "../../plugin/index.js";

/** In order of precedence: the second is Claude Code's name. */
const NAMES = ["AGENTS.md", "CLAUDE.md"] as const;
export const MAX_INSTRUCTIONS_BYTES = 32 * 1024;

export interface Instructions {
    /** The file's path, relative to the root. */
    readonly path: string;
    readonly text: string;
}

/** Reads the first file of instructions in a folder (`""` is the root); `undefined` if there is none. */
export async function readInstructions(
    guidance: ContextRequest["guidance"],
    folder: string
): Promise<Instructions | undefined> {
    for (const name of NAMES) {
        const path = folder === "" ? name : `${folder}/${name}`;
        const file = await guidance(path, MAX_INSTRUCTIONS_BYTES);
        if (file) return { path, text: file.truncated ? `${file.text}\n[truncated]` : file.text };
    }
    return undefined;
}
