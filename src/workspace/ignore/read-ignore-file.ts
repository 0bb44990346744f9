import { lstatSync, statSync, type Stats } from "node:fs";
import { readRegularFile } from "../../base/read-regular-file.js";
import { IgnoreLayer, IgnorePattern } from "./ignore-pattern.js";

/** Git follows links to its own files, and none in the work tree. */
export type Links = "follow" | "refuse";

/** What is beyond does not count: a sparse file may claim any size. */
const MAX_BYTES = 1024 * 1024;

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
    private readonly layers = new Map<string, IgnoreLayer>();
    private readonly patterns = new Map<string, IgnorePattern>();

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
        const layer = text === undefined ? undefined : this.layerOf(text);
        this.known.set(absolute, { stamp, layer });
        return layer;
    }

    /** Many packages of a repository have the same ignore file, or the same lines in it. */
    private layerOf(text: string): IgnoreLayer {
        let layer = this.layers.get(text);
        if (layer === undefined) {
            const lines = text
                .replace(/^\uFEFF/, "")
                .split(/\r?\n/)
                .filter((line) => line !== "" && !line.startsWith("#"));
            layer = new IgnoreLayer(lines.map((line) => this.patternOf(line)));
            this.layers.set(text, layer);
        }
        return layer;
    }

    private patternOf(line: string): IgnorePattern {
        const pattern = this.patterns.get(line) ?? new IgnorePattern(line, this.ignoreCase);
        this.patterns.set(line, pattern);
        return pattern;
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
    const read = readRegularFile(absolute, MAX_BYTES, links);
    // NUL is in no pattern that anybody wrote, and a sparse file is full of it.
    return read?.bytes.toString("utf8").replaceAll("\0", "");
}
