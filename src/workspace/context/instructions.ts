import type { ContextRequest } from "../../plugin/index.js";

const NAME = "AGENTS.md";
const MAX_BYTES = 32 * 1024;

export interface Instructions {
    /** The file's path, relative to the root. */
    readonly path: string;
    readonly text: string;
}

/** Reads the instructions in a folder (`""` is the root); `undefined` if there are none. */
export async function readInstructions(
    guidance: ContextRequest["guidance"],
    folder: string
): Promise<Instructions | undefined> {
    const path = folder === "" ? NAME : `${folder}/${NAME}`;
    const file = await guidance(path, MAX_BYTES);
    return file && { path, text: file.truncated ? `${file.text}\n[truncated]` : file.text };
}

/** Returns the folders above a file, outermost first, without the root. */
export function foldersAbove(file: string): readonly string[] {
    const parts = file.split("/").slice(0, -1);
    return parts.map((_part, index) => parts.slice(0, index + 1).join("/"));
}
