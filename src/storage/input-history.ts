import { existsSync } from "node:fs";
import path from "node:path";
import { appendJsonLine } from "./files/append-line.js";
import { writeFileAtomically } from "./files/atomic-file.js";
import { projectHash } from "./files/directories.js";
import { withLock } from "./files/file-lock.js";
import { readJsonLines } from "./conversations/journal-lines.js";
import { ifAbsent } from "../base/system-error.js";

const MAX_ENTRIES = 1000;
// Slack, so that the file is not rewritten on every line.
const MAX_LINES = 1200;
const MAX_ENTRY_LENGTH = 50_000;

/** Input history of one project for the Up key: the latest 1,000 entries, oldest first. */
export function createInputHistory(options: {
    readonly dataFolder: string;
    readonly root: string;
}) {
    const name = `${projectHash(options.root)}.jsonl`;
    const file = path.join(folderIn(options.dataFolder), name);
    return {
        load: async () => (await readEntries(file)).slice(-MAX_ENTRIES),
        /** Skips a repeat of the last entry, and text too long to have been typed. */
        async append(text: string): Promise<void> {
            if (text.trim() === "" || text.length > MAX_ENTRY_LENGTH) return;
            await withLock(file, async (lease) => {
                const entries = await readEntries(file);
                if (entries.at(-1) === text) return;
                if (entries.length < MAX_LINES) return appendJsonLine(file, text);
                const kept = [...entries, text].slice(-MAX_ENTRIES);
                const lines = kept.map((each) => `${JSON.stringify(each)}\n`);
                await writeFileAtomically(file, lines.join(""), {
                    beforeReplace: lease.assertHeld,
                });
            });
        },
    };
}

/** Whether any project has input history. */
export function hasInputHistory(dataFolder: string): boolean {
    return existsSync(folderIn(dataFolder));
}

function folderIn(dataFolder: string): string {
    return path.join(dataFolder, "history");
}

async function readEntries(file: string): Promise<string[]> {
    const entries: string[] = [];
    const take = (value: unknown) => {
        if (typeof value === "string") entries.push(value);
    };
    await ifAbsent(
        readJsonLines(file, {}, take, () => {}),
        undefined
    );
    return entries;
}
