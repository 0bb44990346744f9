import { leftoverNote, unfinishedNotice } from "./notes.js";
import type { Staging } from "./staging.js";

/** What was never finished in a conversation: the user is told of it, and the model. */
export class Leftovers {
    private readonly told = new Set<string>();

    /** For the model; each text is told once, and again when more of it has come. */
    notes(staging: Staging): readonly string[] {
        return leftoversIn(staging).flatMap(({ path, text }) => {
            const state = `${staging.place(path)}:${text.length}`;
            if (this.told.has(state)) return [];
            this.told.add(state);
            return leftoverNote(path, text);
        });
    }
}

/** For the user, when a conversation goes on. */
export function leftoverNotices(staging: Staging): readonly string[] {
    return leftoversIn(staging).map(({ path, text }) => unfinishedNotice(path, text, staging));
}

function leftoversIn(staging: Staging): readonly { path: string; text: string }[] {
    return staging.paths().flatMap((path) => {
        const text = staging.read(path);
        return text ? { path, text } : [];
    });
}
