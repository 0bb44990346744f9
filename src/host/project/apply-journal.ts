import path from "node:path";
import { withLock } from "../../storage/files/file-lock.js";
import { makeFolder } from "../../storage/files/make-folder.js";
import type { ApplyJournal } from "../../workspace/apply/journal.js";

/** Where git changes of contained commands are journaled until they are applied. */
export function gitChangesJournal(dataFolder: string): ApplyJournal {
    return journalIn(path.join(dataFolder, "taking"));
}

export function applyJournal(dataFolder: string): ApplyJournal {
    return journalIn(path.join(dataFolder, "applying"));
}

export function journalIn(folder: string): ApplyJournal {
    return {
        folder,
        inTurn: (work) =>
            withLock(folder, () => {
                makeFolder(folder);
                return work();
            }),
    };
}
