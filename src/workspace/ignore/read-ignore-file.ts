import { attempt } from "../../base/attempt.js";
import { type FileFacts, filesOnDisk, type FileTree } from "../tree/file-tree.js";
import { IgnoreLayer, IgnorePattern } from "./ignore-pattern.js";

/** Git follows links to its global ignore files, but not in the work tree. */
type Links = "follow" | "refuse";

/** Reads no further: a sparse file may claim any size. */
const MAX_BYTES = 1024 * 1024;

interface KnownIgnoreFile {
    readonly stamp: string;
    readonly layer: IgnoreLayer | undefined;
}

/**
 * Ignore files by absolute path, reread when changed. An unchanged file returns the same layer
 * object, so that identity tells whether anything changed. Synchronous: the files are few and
 * small.
 */
export class IgnoreFiles {
    private readonly known = new Map<string, KnownIgnoreFile>();
    private readonly layers = new Map<string, IgnoreLayer>();
    private readonly patterns = new Map<string, IgnorePattern>();

    constructor(
        private readonly ignoreCase: boolean,
        private readonly tree: FileTree = filesOnDisk
    ) {}

    /** `undefined` if the file does not exist. */
    layer(absolute: string, links: Links = "refuse"): IgnoreLayer | undefined {
        const stamp = stampOf(absolute, links, this.tree);
        if (stamp === undefined) {
            this.known.delete(absolute);
            return undefined;
        }
        const known = this.known.get(absolute);
        if (known?.stamp === stamp) return known.layer;
        const text = this.readText(absolute, links);
        const layer = text === undefined ? undefined : this.layerOf(text);
        this.known.set(absolute, { stamp, layer });
        return layer;
    }

    private readText(absolute: string, links: Links): string | undefined {
        const read = this.tree.readRegularFile(absolute, MAX_BYTES, links);
        // No real pattern contains NUL, and a sparse file is full of them.
        return read?.bytes.toString("utf8").replaceAll("\0", "");
    }

    /** Cached by text: many packages of a repository share an ignore file, or lines of it. */
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

/** A stamp that changes with the file or folder; `undefined` if it does not exist. */
export function stampOf(
    absolute: string,
    links: Links = "refuse",
    tree = filesOnDisk
): string | undefined {
    const stats = statsOf(absolute, links, tree);
    return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
}

function statsOf(absolute: string, links: Links, tree: FileTree): FileFacts | undefined {
    return attempt(() => (links === "follow" ? tree.statSync(absolute) : tree.lstatSync(absolute)));
}
