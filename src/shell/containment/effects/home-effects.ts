import { readdirSync } from "node:fs";
import path from "node:path";
import type { Refusal } from "../containment.js";

/** Programs note there what they have done; nobody misses it. */
const HISTORIES =
    /^\.(?:.*_history|.*hst|wget-hsts|viminfo|v8flags.*|babel\.json|node_repl_history|rnd|sudo_as_admin_successful)$/;

/** Not only a program's own: what is written there acts on others. */
const SHARED_FOLDERS =
    /^\.(?:ssh|gnupg|aws|kube|docker|config\/(?:git|autostart|systemd|fish|environment\.d)|local\/(?:bin|lib))(?:\/|$)/;

export interface HomeEffects {
    /** It meant to change a file of the user. */
    readonly refusal?: Refusal;
    readonly notes: readonly string[];
}

/** Files in folders that begin with a dot are a program's own, and thrown away. */
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
