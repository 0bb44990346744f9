import { readFile } from "node:fs/promises";
import path from "node:path";
import type { SeenMark } from "../core/history/seen-lines.js";
import { fieldsIn } from "../base/fields.js";
import { appendJsonLine } from "./files/append-line.js";
import { projectFolder } from "./files/directories.js";
import { readOr } from "./files/storage-error.js";

export function createSeenMarks(dataFolder: string, root: string) {
    const file = path.join(projectFolder(dataFolder, root), "seen.jsonl");
    return {
        async all(): Promise<readonly SeenMark[]> {
            const text = await readOr(readFile(file, "utf8"), file, "");
            return text.split("\n").flatMap(markIn);
        },
        /** Throws `disk-full` or `not-writable`. */
        add: ({ conversation, change, path, lines }: SeenMark) =>
            appendJsonLine(file, { conversation, change, path, lines }),
    };
}

/** A line that is torn or no mark marks nothing. */
function markIn(line: string): SeenMark[] {
    const { conversation, change, path, lines } = fieldsIn(line) ?? {};
    if (typeof conversation !== "string" || typeof change !== "string") return [];
    if (typeof path !== "string" || typeof lines !== "string") return [];
    return [{ conversation, change, path, lines }];
}
