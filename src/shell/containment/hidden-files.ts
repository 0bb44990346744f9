import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";

/** Not searched: large folders of third-party files, and git's own. */
const SKIPPED = new Set([".git", "node_modules", ".venv", "site-packages"]);

/** A folder changed this recently may change again without a new mtime. */
const SETTLED_MS = 50;

interface Folder {
    readonly changedAt: number;
    readonly lookedAt: number;
    readonly folders: readonly string[];
    readonly secrets: readonly string[];
}

/**
 * The project's files that look like secrets, including ignored ones. A rescan reads only folders
 * changed since, so it is cheap enough to do before every command.
 */
export class HiddenFiles {
    private folders = new Map<string, Folder>();

    constructor(
        private readonly root: string,
        private readonly isSecret: (path: string) => boolean,
        /** How many folders deep to look. */
        private readonly depth = Infinity
    ) {}

    /** Relative to the root. */
    list(): readonly string[] {
        const current = new Map<string, Folder>();
        const found: string[] = [];
        const waiting = [""];
        for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
            const folder = this.lookAt(place);
            if (!folder) continue;
            current.set(place, folder);
            found.push(...folder.secrets);
            if (depthOf(place) < this.depth) waiting.push(...folder.folders);
        }
        this.folders = current;
        return found.sort();
    }

    private lookAt(place: string): Folder | undefined {
        const absolute = path.join(this.root, place);
        const status = lstatSync(absolute, { throwIfNoEntry: false });
        if (!status?.isDirectory()) return undefined;
        const known = this.folders.get(place);
        const isSettled = known && known.lookedAt - known.changedAt > SETTLED_MS;
        if (isSettled && known.changedAt === status.mtimeMs) return known;
        return this.read(place, absolute, status.mtimeMs);
    }

    private read(place: string, absolute: string, changedAt: number): Folder {
        const folders: string[] = [];
        const secrets: string[] = [];
        const lookedAt = Date.now();
        for (const entry of entriesOf(absolute)) {
            const inside = place === "" ? entry.name : `${place}/${entry.name}`;
            if (entry.isDirectory()) {
                if (!SKIPPED.has(entry.name)) folders.push(inside);
            } else if (this.isSecret(inside)) {
                secrets.push(inside);
            }
        }
        return { changedAt, lookedAt, folders, secrets };
    }
}

function depthOf(place: string): number {
    return place === "" ? 0 : place.split("/").length;
}

function entriesOf(folder: string) {
    try {
        return readdirSync(folder, { withFileTypes: true });
    } catch {
        // What this user cannot read, a command cannot either.
        return [];
    }
}
