import { readdirSync } from "node:fs";
import path from "node:path";
import { attempt } from "../../../base/attempt.js";
import { isInside } from "../../../base/paths.js";
import type { Refusal } from "../containment.js";
import { CACHES } from "../toolchains.js";

/** History files; nobody misses them. */
const HISTORIES =
    /^\.(?:.*_history|.*hst|wget-hsts|viminfo|v8flags.*|babel\.json|node_repl_history|rnd|sudo_as_admin_successful)$/;

/** What a program notes about its own run; nobody misses it either. */
const LOGS = /(?:^|\/)_?logs?\/|\.log$/;

/** Not private to a program: changes here affect others. */
const SHARED_FOLDERS =
    /^\.(?:ssh|gnupg|aws|kube|docker|config\/(?:git|autostart|systemd|fish|environment\.d)|local\/(?:bin|lib))(?:\/|$)/;

/** Caches and files in dot folders are a program's own and are discarded, unless the command names them. */
export function homeEffects(
    upper: string,
    { command, home }: { readonly command: string; readonly home?: string | undefined }
): {
    /** Set if the command meant to change a user's file. */
    readonly refusal?: Refusal;
    readonly notes: readonly string[];
} {
    const named = namedIn(command, home);
    const all = leavesBelow(upper);
    const written = all.filter((path) => !path.endsWith("/"));
    const isNamed = (path: string) => named.some((each) => `${path}/`.startsWith(each));
    const meant = [...written, ...all.filter(isNamed)].find((path) => {
        if (SHARED_FOLDERS.test(path) || isNamed(path)) return true;
        const isOwn = /^\.[^/]+\//.test(path) || CACHES.some((cache) => isInside(cache, path));
        return !HISTORIES.test(path) && !isOwn;
    });
    if (meant !== undefined) {
        return { refusal: { what: "outside", text: `It needs to write ~/${meant}` }, notes: [] };
    }
    const missed = written.filter((path) => !LOGS.test(path));
    const folders = [
        ...new Set(missed.map((path) => `~/${path.split("/").slice(0, 2).join("/")}`)),
    ];
    if (folders.length === 0) return { notes: [] };
    const first = folders.slice(0, 5).join(", ");
    return { notes: [`What it wrote to ${first} was discarded.`] };
}

/**
 * Paths in HOME that a command names, relative to it and ending with `/`. HOME itself and what is
 * directly in it say too little: `ls ~/.config` means nothing that another program keeps there.
 */
function namedIn(command: string, home: string | undefined): string[] {
    return command.split(/[\s'"`;|&<>()=,]+/).flatMap((word) => {
        const isIn = home !== undefined && word.startsWith(`${home}/`);
        const rest = isIn
            ? word.slice(home.length)
            : /^(?:~|\$HOME|\$\{HOME\})(\/.*)$/.exec(word)?.[1];
        const name = path.posix.normalize(rest ?? "/").replace(/^\/|\/$/g, "");
        return name.includes("/") && !name.startsWith("..") ? `${name}/` : [];
    });
}

/** Files, and new folders without any, which end with `/`. */
function leavesBelow(folder: string, prefix = ""): string[] {
    const read = () => readdirSync(path.join(folder, prefix), { withFileTypes: true });
    return attempt(read, []).flatMap((entry) => {
        const location = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
        if (!entry.isDirectory()) return [location];
        const below = leavesBelow(folder, location);
        return below.length > 0 ? below : [`${location}/`];
    });
}
