import { readdirSync } from "node:fs";
import path from "node:path";
import type { Refusal } from "../containment.js";

/** History files; nobody misses them. */
const HISTORIES =
    /^\.(?:.*_history|.*hst|wget-hsts|viminfo|v8flags.*|babel\.json|node_repl_history|rnd|sudo_as_admin_successful)$/;

/** Not private to a program: changes here affect others. */
const SHARED_FOLDERS =
    /^\.(?:ssh|gnupg|aws|kube|docker|config\/(?:git|autostart|systemd|fish|environment\.d)|local\/(?:bin|lib))(?:\/|$)/;

export interface HomeEffects {
    /** Set if the command meant to change a user's file. */
    readonly refusal?: Refusal;
    readonly notes: readonly string[];
}

/** Files in dot folders are a program's own and are discarded. */
export function homeEffects(upper: string): HomeEffects {
    const written = filesBelow(upper);
    const meant = written.find((place) => {
        if (SHARED_FOLDERS.test(place)) return true;
        return !HISTORIES.test(place) && !/^\.[^/]+\//.test(place);
    });
    if (meant !== undefined) {
        return { refusal: { what: "outside", text: `to write ~/${meant}` }, notes: [] };
    }
    const folders = [
        ...new Set(written.map((place) => `~/${place.split("/").slice(0, 2).join("/")}`)),
    ];
    if (folders.length === 0) return { notes: [] };
    const named = folders.slice(0, 5).join(", ");
    return { notes: [`What it wrote to ${named} was discarded.`] };
}

function filesBelow(folder: string, prefix = ""): string[] {
    let entries;
    try {
        entries = readdirSync(path.join(folder, prefix), { withFileTypes: true });
    } catch {
        return [];
    }
    return entries.flatMap((entry) => {
        const place = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
        return entry.isDirectory() ? filesBelow(folder, place) : [place];
    });
}
