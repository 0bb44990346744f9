import { realpathSync } from "node:fs";
import path from "node:path";

/** More of a command are not looked up. */
const MOST = 200;
const SEPARATORS = /[\s'"`;|&<>()=,]+|:(?=\s|$)/;

/** Where a name leads: the real place, also by way of a link of the project. */
export interface NamePlaces {
    /** Relative names start there. */
    readonly folder: string;
    readonly home: string | undefined;
}

/** The real places of all words that name something. */
export function* namedPlaces(text: string, { folder, home }: NamePlaces): Generator<string> {
    for (const word of text.split(SEPARATORS, MOST)) {
        const name = word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, home ?? "");
        const place = name === "" ? undefined : real(path.resolve(folder, name));
        if (place !== undefined) yield place;
    }
}

function real(place: string): string | undefined {
    try {
        return realpathSync(place);
    } catch {
        return undefined;
    }
}
