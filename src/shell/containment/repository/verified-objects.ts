import { linkSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { ObjectReader, type LayeredGit } from "./layered-git.js";

const LOOSE = /^objects\/([0-9a-f]{2})\/[0-9a-f]{38}(?:[0-9a-f]{24})?$/;
const PACK = /^objects\/pack\/pack-[0-9a-f]{40}(?:[0-9a-f]{24})?\.pack$/;
/** More is not reviewed. Bytes as stored, and as they are. */
const [MAX_OBJECTS, MAX_STORED, MAX_CONTENT] = [100_000, 200 * 1024 ** 2, 2 * 1024 ** 3];

export interface VerifiedObjects {
    /** The repository's objects and the verified new ones. */
    readonly reader: ObjectReader;
    /** The new ones; absent if there are none. */
    readonly pack?: string;
    /** The type of each tip, by id. */
    readonly types: ReadonlyMap<string, string>;
}

/**
 * Collects the new objects that `tips` lead to, and verifies them: git computes the id of each from
 * its content, checks that it is well formed and that nothing it names is missing. The folder of the
 * command is only read through git, and without its indexes, graphs and alternates.
 * Resolves to a sentence's end if they cannot be applied.
 */
export async function verifyObjects(
    git: LayeredGit,
    folder: string,
    tips: readonly string[],
    known: readonly string[]
): Promise<VerifiedObjects | string> {
    const { root } = git.layers;
    const own = git.lower("objects");
    const [given, verified] = [path.join(folder, "given"), path.join(folder, "verified")];
    for (const place of [given, verified]) mkdirSync(path.join(place, "pack"), { recursive: true });
    const unfit = await collect(git, given);
    if (unfit !== undefined) return unfit;
    const base = path.join(verified, "pack/pack");
    const revisions = [...tips, "--not", ...known, ""].join("\n");
    const pack = ["pack-objects", "--revs", "--non-empty", "-q", base];
    const all = ObjectReader.over(root, given, own);
    if ((await all.read(pack, revisions)) === undefined) return MISSING;
    for (const name of readdirSync(path.join(verified, "pack"))) {
        if (!name.endsWith(".pack")) rmSync(path.join(verified, "pack", name));
    }
    const [packed] = readdirSync(path.join(verified, "pack"));
    const file = packed === undefined ? undefined : path.join(verified, "pack", packed);
    const reader = ObjectReader.over(root, verified, own);
    if (file !== undefined) {
        const index = await reader.read(["index-pack", "--strict", file]);
        if (index === undefined) return MISSING;
    }
    const types = await reader.facts("objecttype", tips);
    const isThere = (id: string) => /^(?:commit|tree|blob|tag)$/.test(types.get(id) ?? "");
    if (!tips.every(isThere)) return MISSING;
    return { reader, types, ...(file !== undefined && { pack: file }) };
}

const MISSING = "objects that are damaged or missing";

/** Links what may hold objects into a folder of our own. */
async function collect(git: LayeredGit, given: string): Promise<string | undefined> {
    let [count, stored] = [0, 0];
    const packs: string[] = [];
    for (const { path: place, before, after } of git.touched) {
        const isObject = LOOSE.test(place) || PACK.test(place);
        if (before || after?.kind !== "file" || !isObject) continue;
        count += 1;
        stored += after.stats.size;
        if (count > MAX_OBJECTS || stored > MAX_STORED) return "more than can be reviewed";
        const target = path.join(given, place.slice("objects/".length));
        mkdirSync(path.dirname(target), { recursive: true });
        linkSync(git.upper(place), target);
        if (PACK.test(place)) packs.push(target);
    }
    const reader = new ObjectReader(git.layers.root, { GIT_OBJECT_DIRECTORY: given });
    for (const pack of packs) {
        if ((await reader.read(["index-pack", pack])) === undefined) return MISSING;
    }
    if (count === 0) return undefined;
    const listing = await reader.read([
        "cat-file",
        "--batch-all-objects",
        "--batch-check=%(objectsize)",
    ]);
    if (listing === undefined) return MISSING;
    const content = listing.split("\n").reduce((sum, size) => sum + Number(size), 0);
    return content > MAX_CONTENT ? "more than can be reviewed" : undefined;
}
