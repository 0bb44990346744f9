import { lstatSync, readdirSync, type Stats } from "node:fs";
import path from "node:path";
import { errorCode } from "../../../base/system-error.js";

/** The type of a path in a layer; `other` for pipes, sockets and devices. */
export type Kind = "file" | "link" | "folder" | "other";

export interface Touched {
    readonly path: string;
    readonly before: Entry | undefined;
    /** `undefined` if it was deleted. */
    readonly after: Entry | undefined;
}

export interface Entry {
    readonly kind: Kind;
    readonly stats: Stats;
}

/** A folder in both layers; the lower one's contents may or may not show through. */
interface Shared {
    readonly folder: string;
    /** A path only in the lower layer; visible to the command unless the upper folder is opaque. */
    readonly probe: string;
    readonly upperNames: ReadonlySet<string>;
}

export interface LayerPair {
    /** The original, as on disk. */
    readonly lower: string;
    readonly upper: string;
    readonly skip?: string;
    /** The top folder itself may have been deleted or replaced, or be untouched. */
    readonly isReplaceable?: boolean;
}

/** Says for each path whether the command sees it. */
export type AreThere = (paths: readonly string[]) => Promise<readonly boolean[]>;

/**
 * Finds every path a command touched: everything in the upper layer, and whatever an opaque folder
 * hides. The opaque flag is an extended attribute, which Node cannot read, so a process inside the
 * mount tells whether something shows through.
 */
export async function touchedPaths(
    layers: LayerPair,
    areThere: AreThere
): Promise<readonly Touched[]> {
    const touched: Touched[] = [];
    const shared: Shared[] = [];
    const walk = (folder: string): void => {
        const names = namesIn(path.join(layers.upper, folder));
        for (const name of names) visit(joined(folder, name));
        const below = namesIn(path.join(layers.lower, folder));
        const upperNames = new Set(names);
        const probe = below.find((name) => !upperNames.has(name));
        if (probe !== undefined && (folder !== "" || layers.isReplaceable)) {
            shared.push({ folder, probe: joined(folder, probe), upperNames });
        }
    };
    const visit = (place: string): void => {
        if (place === layers.skip) return;
        const upper = lstatSync(path.join(layers.upper, place));
        const before = entryAt(path.join(layers.lower, place));
        const after = isWhiteout(upper) ? undefined : { kind: kindOf(upper), stats: upper };
        if (before !== undefined || after !== undefined) {
            touched.push({ path: place, before, after });
        }
        if (before?.kind === "folder" && after?.kind !== "folder") {
            touched.push(...deletedBelow(layers.lower, place));
        }
        if (after?.kind !== "folder") return;
        if (before?.kind === "folder") walk(place);
        else for (const name of namesIn(path.join(layers.upper, place))) visit(joined(place, name));
    };
    if (!layers.isReplaceable) walk("");
    else if (entryAt(layers.upper)) visit("");
    const showThrough = await areThere(shared.map(({ probe }) => probe));
    for (const [index, { folder, upperNames }] of shared.entries()) {
        if (showThrough[index] !== false) continue;
        for (const name of namesIn(path.join(layers.lower, folder))) {
            if (upperNames.has(name)) continue;
            const place = joined(folder, name);
            touched.push({
                path: place,
                before: entryAt(path.join(layers.lower, place)),
                after: undefined,
            });
            touched.push(...deletedBelow(layers.lower, place));
        }
    }
    return touched;
}

function deletedBelow(lower: string, folder: string): Touched[] {
    if (entryAt(path.join(lower, folder))?.kind !== "folder") return [];
    return namesIn(path.join(lower, folder)).flatMap((name) => {
        const place = joined(folder, name);
        const before = entryAt(path.join(lower, place));
        return [{ path: place, before, after: undefined }, ...deletedBelow(lower, place)];
    });
}

/** overlayfs marks deletions with a 0/0 character device (see the kernel's documentation). */
function isWhiteout(stats: Stats): boolean {
    return stats.isCharacterDevice() && stats.rdev === 0;
}

function entryAt(place: string): Entry | undefined {
    try {
        const stats = lstatSync(place);
        return { kind: kindOf(stats), stats };
    } catch (error) {
        // ENOTDIR: the other layer has a file in place of a folder.
        if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return undefined;
        throw error;
    }
}

function kindOf(stats: Stats): Kind {
    if (stats.isFile()) return "file";
    if (stats.isSymbolicLink()) return "link";
    return stats.isDirectory() ? "folder" : "other";
}

function namesIn(folder: string): string[] {
    try {
        return readdirSync(folder).sort();
    } catch {
        return [];
    }
}

function joined(folder: string, name: string): string {
    return folder === "" ? name : `${folder}/${name}`;
}
