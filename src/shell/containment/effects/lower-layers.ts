import {
    type LayerEntry,
    entryAt,
    isWhiteout,
    joined,
    namesIn,
    type FolderNames,
} from "./layer.js";

/** What is below a writable layer: the project, and above it layers with changes, topmost first. */
export class LowerLayers {
    constructor(
        readonly project: string,
        private readonly changed: readonly string[] = []
    ) {}

    get folders(): readonly string[] {
        return [...this.changed, this.project];
    }

    /** What a command finds at a path before it changes anything. */
    entryAt(location: string): LayerEntry | undefined {
        for (const folder of this.changed) {
            if (isCovered(folder, location)) return undefined;
            const entry = entryAt(joined(folder, location));
            if (entry) return isWhiteout(entry) ? undefined : entry;
        }
        return entryAt(joined(this.project, location));
    }

    namesIn(location: string): FolderNames {
        const names = { text: new Set<string>(), bytes: new Set<string>() };
        const gone = new Set<string>();
        for (const folder of this.changed) {
            if (isCovered(folder, `${location}/`)) return names;
            for (const name of namesIn(joined(folder, location)).text) {
                const entry = entryAt(joined(joined(folder, location), name));
                if (entry && isWhiteout(entry)) gone.add(name);
                else if (!gone.has(name)) names.text.add(name);
            }
        }
        const { text, bytes } = namesIn(joined(this.project, location));
        if (this.changed.length === 0) return { text, bytes };
        const left = [...text].filter((name) => !gone.has(name));
        return { text: new Set([...names.text, ...left].sort()), bytes };
    }
}

/** Whether a layer has anything but a folder on the way to a path, which hides lower layers. */
export function isCovered(folder: string, location: string): boolean {
    for (let end = location.indexOf("/"); end > 0; end = location.indexOf("/", end + 1)) {
        const entry = entryAt(joined(folder, location.slice(0, end)));
        if (entry === undefined) return false;
        if (entry.kind !== "folder") return true;
    }
    return false;
}
