import type { ContextRequest } from "../../plugin/index.js";

const NAME = "AGENTS.md";
const MAX_BYTES = 32 * 1024;

export interface Instructions {
    /** Of the file, relative to the root. */
    readonly path: string;
    readonly text: string;
}

/** The instructions in one folder, `""` being the root; `undefined` without any. */
export async function readInstructions(
    guidance: ContextRequest["guidance"],
    folder: string
): Promise<Instructions | undefined> {
    const path = folder === "" ? NAME : `${folder}/${NAME}`;
    const file = await guidance(path, MAX_BYTES);
    return file && { path, text: file.truncated ? `${file.text}\n[truncated]` : file.text };
}

/** The folders above a file, the outermost first, without the root. */
export function foldersAbove(file: string): readonly string[] {
    const parts = file.split("/").slice(0, -1);
    return parts.map((_part, index) => parts.slice(0, index + 1).join("/"));
}
