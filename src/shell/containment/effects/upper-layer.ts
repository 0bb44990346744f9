import { lstatSync } from "node:fs";
import path from "node:path";
import {
    entryAt,
    entryOf,
    isReadable,
    isWhiteout,
    joined,
    latin1,
    type LayerEntry,
    type FolderNames,
    namesIn,
} from "./layer.js";
import type { LowerLayers } from "./lower-layers.js";

export interface Touched {
    readonly path: string;
    readonly before: LayerEntry | undefined;
    /** `undefined` if it was deleted. */
    readonly after: LayerEntry | undefined;
    /** Why it cannot be reviewed; `path` is then for display only. */
    readonly unfit?: string;
}

/** A folder in both layers; the lower one's contents may or may not show through. */
interface Shared {
    readonly folder: string;
    /** A path only in the lower layer; visible to the command unless the upper folder is opaque. */
    readonly probe: Buffer;
    readonly upper: FolderNames;
}

interface LayerPair {
    readonly lower: LowerLayers;
    readonly upper: string;
    readonly skip?: string;
    /** The top folder itself may have been deleted or replaced, or be untouched. */
    readonly isReplaceable?: boolean;
}

/** Says for each path whether the command sees it. Paths are bytes. */
export type CheckVisibility = (paths: readonly Buffer[]) => Promise<readonly boolean[]>;

/** What the kernel takes at once, less one for the NUL. */
const MAX_PATH = 4095;
/** Of a path that is too long, this much is shown. */
const MAX_SHOWN = 60;

/**
 * Finds every path a command touched: everything in the upper layer, and whatever an opaque folder
 * hides. The opaque flag is an extended attribute, which Node cannot read, so a process inside the
 * mount tells whether something shows through.
 */
export async function touchedPaths(
    layers: LayerPair,
    areThere: CheckVisibility
): Promise<readonly Touched[]> {
    const touched: Touched[] = [];
    const shared: Shared[] = [];
    // There may be more of them than a call takes arguments.
    const addAll = (more: readonly Touched[]): void => {
        for (const each of more) touched.push(each);
    };
    const walk = (folder: string): void => {
        const upper = namesIn(path.join(layers.upper, folder));
        visitAll(folder, upper);
        const probe = firstOnlyIn(layers.lower.namesIn(folder), upper);
        if (probe !== undefined && (folder !== "" || layers.isReplaceable)) {
            const bytes = Buffer.from(joined(latin1(folder), probe), "latin1");
            shared.push({ folder, probe: bytes, upper });
        }
    };
    const visitAll = (folder: string, { text, bytes }: FolderNames, isNew = false): void => {
        for (const name of text) visit(joined(folder, name), isNew);
        addAll([...bytes].map((name) => unnameable(folder, name)));
    };
    const visit = (location: string, isNew = false): void => {
        if (location === layers.skip) return;
        if (isTooLong(layers, location)) return void touched.push(tooLong(location));
        const absolute = joined(layers.upper, location);
        const upper = entryOf(absolute, lstatSync(absolute));
        const before = isNew ? undefined : layers.lower.entryAt(location);
        const after = isWhiteout(upper) ? undefined : upper;
        // With neither it is a mark without a meaning, which must not leave the layer.
        touched.push({ path: location, before, after });
        if (before?.kind === "folder" && after?.kind !== "folder") {
            addAll(deletedBelow(layers, location));
        }
        if (after?.kind !== "folder" || !isReadable(after)) return;
        if (before?.kind === "folder") walk(location);
        // Where a link was, the lower layer would show what it leads to.
        else visitAll(location, namesIn(path.join(layers.upper, location)), true);
    };
    if (!layers.isReplaceable) walk("");
    else if (entryAt(layers.upper)) visit("");
    const showThrough = await areThere(shared.map(({ probe }) => probe));
    for (const [index, { folder, upper }] of shared.entries()) {
        if (showThrough[index] === false) addAll(deletedBelow(layers, folder, upper));
    }
    return touched;
}

/** Everything in a folder of the lower layer except `kept`. */
function deletedBelow(layers: LayerPair, folder: string, kept?: FolderNames): Touched[] {
    if (layers.lower.entryAt(folder)?.kind !== "folder") return [];
    const { text, bytes } = layers.lower.namesIn(folder);
    const deleted = [...text].filter((name) => !kept?.text.has(name));
    const unnamed = [...bytes].filter((name) => !kept?.bytes.has(name));
    return [
        ...deleted.flatMap((name): Touched[] => {
            const location = joined(folder, name);
            if (isTooLong(layers, location)) return [tooLong(location)];
            const before = layers.lower.entryAt(location);
            return [
                { path: location, before, after: undefined },
                ...deletedBelow(layers, location),
            ];
        }),
        ...unnamed.map((name) => unnameable(folder, name)),
    ];
}

/** The first name in `lower` that `upper` lacks, one character a byte. */
function firstOnlyIn(lower: FolderNames, upper: FolderNames): string | undefined {
    const text = [...lower.text].find((name) => !upper.text.has(name));
    if (text !== undefined) return latin1(text);
    return [...lower.bytes].find((name) => !upper.bytes.has(name));
}

function unnameable(folder: string, name: string): Touched {
    const shown = name.replace(
        /[^ -~]/g,
        (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`
    );
    const unfit = "a name that is not UTF-8";
    return { path: joined(folder, shown), before: undefined, after: undefined, unfit };
}

function tooLong(path: string): Touched {
    const unfit = `a path of more than ${MAX_PATH} bytes`;
    return { path: `${path.slice(0, MAX_SHOWN)}…`, before: undefined, after: undefined, unfit };
}

function isTooLong({ lower, upper }: LayerPair, location: string): boolean {
    const longest = Math.max(...[...lower.folders, upper].map((layer) => Buffer.byteLength(layer)));
    // Few names are near the limit, however wide their characters.
    if (longest + 1 + 3 * location.length <= MAX_PATH) return false;
    return longest + 1 + Buffer.byteLength(location) > MAX_PATH;
}

/** The path of a place in a folder, as bytes. */
export function below(folder: string, path: Buffer): Buffer {
    return Buffer.concat([Buffer.from(`${folder}/`), path]);
}
