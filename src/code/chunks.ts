import type { Section } from "./section.js";

const CHUNK_LINES = 50;

/** Counts lines; a final line break does not start another one. */
export function countLines(text: string): number {
    if (text === "") return 0;
    let count = 1;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
    return text.endsWith("\n") ? count - 1 : count;
}

/** Splits text of unknown structure into chunks of equal length. */
export function readChunks(text: string): Section[] {
    const lines = countLines(text);
    const chunks: Section[] = [];
    for (let startLine = 1; startLine <= lines; startLine += CHUNK_LINES) {
        const endLine = Math.min(startLine + CHUNK_LINES - 1, lines);
        const name = `lines ${startLine}-${endLine}`;
        chunks.push({ type: "chunk", name, startLine, endLine, children: [] });
    }
    return chunks;
}
