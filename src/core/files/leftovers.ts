import { leftoverNote, unfinishedNotice } from "./notes.js";
import type { Staging } from "./staging.js";

/** Unfinished files of a conversation, as reported to the user and the model. */
export class Leftovers {
    private readonly told = new Set<string>();

    /** For the model: each text once, and again after it has grown. */
    notes(staging: Staging): readonly string[] {
        return leftoversIn(staging).flatMap(({ path, text }) => {
            const state = `${staging.place(path)}:${text.length}`;
            if (this.told.has(state)) return [];
            this.told.add(state);
            return leftoverNote(path, text);
        });
    }
}

/** For the user when a conversation is resumed. */
export function leftoverNotices(staging: Staging): readonly string[] {
    return leftoversIn(staging).map(({ path, text }) => unfinishedNotice(path, text, staging));
}

function leftoversIn(staging: Staging): readonly { path: string; text: string }[] {
    return staging.paths().flatMap((path) => {
        const text = staging.read(path);
        return text ? { path, text } : [];
    });
}
