import {
    closeSync,
    constants,
    fstatSync,
    lstatSync,
    openSync,
    readFileSync,
    statSync,
    type Stats,
} from "node:fs";
import { IgnoreLayer } from "./ignore-layer.js";

/** Git follows links to its own files, and none in the work tree. */
export type Links = "follow" | "refuse";

interface KnownFile {
    readonly stamp: string;
    readonly layer: IgnoreLayer | undefined;
}

/**
 * Ignore files by their absolute path, read again when they changed. The same, unchanged file
 * gives the same layer, so that a layer's identity says whether anything is new. Read without
 * waiting: there are few, and they are small.
 */
export class IgnoreFiles {
    private readonly known = new Map<string, KnownFile>();

    constructor(private readonly ignoreCase: boolean) {}

    /** `undefined` if the file does not exist. */
    layer(absolute: string, links: Links = "refuse"): IgnoreLayer | undefined {
        const stamp = stampOf(absolute, links);
        if (stamp === undefined) {
            this.known.delete(absolute);
            return undefined;
        }
        const known = this.known.get(absolute);
        if (known?.stamp === stamp) return known.layer;

        const text = readText(absolute, links);
        const layer = text === undefined ? undefined : new IgnoreLayer(text, this.ignoreCase);
        this.known.set(absolute, { stamp, layer });
        return layer;
    }
}

/** What changes when a file or a folder does; `undefined` where there is nothing to be seen. */
export function stampOf(absolute: string, links: Links = "refuse"): string | undefined {
    const stats = statsOf(absolute, links);
    return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
}

function statsOf(absolute: string, links: Links): Stats | undefined {
    try {
        const look = links === "follow" ? statSync : lstatSync;
        return look(absolute, { throwIfNoEntry: false });
    } catch {
        return undefined;
    }
}

function readText(absolute: string, links: Links): string | undefined {
    // A named pipe or a device that calls itself .gitignore must neither hold us up nor be read.
    const noFollow = links === "follow" ? 0 : constants.O_NOFOLLOW;
    let descriptor: number | undefined;
    try {
        descriptor = openSync(absolute, constants.O_RDONLY | constants.O_NONBLOCK | noFollow);
        return fstatSync(descriptor).isFile() ? readFileSync(descriptor, "utf8") : undefined;
    } catch {
        return undefined;
    } finally {
        if (descriptor !== undefined) closeSync(descriptor);
    }
}
