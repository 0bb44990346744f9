import path from "node:path";
import { withLock } from "../../storage/files/file-lock.js";
import type { ApplyJournal } from "../../workspace/apply/journal.js";

/** Where takeovers of what contained commands did in repositories are journaled. */
export function takeoverJournal(dataFolder: string): ApplyJournal {
    return journalIn(path.join(dataFolder, "taking"));
}

export function applyJournal(dataFolder: string): ApplyJournal {
    return journalIn(path.join(dataFolder, "applying"));
}

export function journalIn(folder: string): ApplyJournal {
    return { folder, inTurn: (work) => withLock(folder, work) };
}
