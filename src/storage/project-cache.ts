import { isFields } from "../base/fields.js";
import { cloneIdentity } from "./grants/clone-identity.js";
import { readNorthFile, sweepNorthFolder, writeNorthFile } from "./grants/north-folder.js";

const VERSION = 2;

/** Project facts that are slow to compute. */
export interface ProjectFacts {
    readonly languages: readonly { readonly language: string; readonly percent: number }[];
    readonly hotFiles: readonly string[];
}

/** Each fact with the mark of the state it was computed from; a stale one is still useful. */
export type KeptFacts = {
    readonly [Name in keyof ProjectFacts]?: {
        readonly mark: string;
        readonly value: ProjectFacts[Name];
    };
};

const MAX_ITEMS = 20;
const MAX_PATH_LENGTH = 300;
// No control characters: a name in an untrusted file must not pass for more than a name.
const NAME = /^[\p{L}\p{N} +#.'_*-]{1,40}$/u;
const PATH = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}`]{1,300}$/u;

/**
 * Reads the facts in `REPO/.north/cache.json` if they were computed in this clone. The file may
 * have come with the repository, so only names and paths are taken from it.
 */
export async function readProjectCache(root: string): Promise<KeptFacts> {
    // Here because every session reads the cache, but may never write it.
    await sweepNorthFolder(root).catch(() => {});
    const file = await readNorthFile(root, "cache.json");
    if (file.kind !== "value") return {};
    const { version, clone, languages, hotFiles } = file.value;
    if (version !== VERSION || clone !== (await cloneIdentity(root))) return {};
    return {
        ...factOf("languages", languages, isLanguage),
        ...factOf("hotFiles", hotFiles, isPath),
    };
}

/** Saves facts for the next conversation. Rejects if `.north` is not writable. */
export async function writeProjectCache(root: string, facts: KeptFacts): Promise<void> {
    const content = { version: VERSION, clone: await cloneIdentity(root), ...facts };
    await writeNorthFile(root, "cache.json", { content, durable: false });
}

function factOf<Name extends keyof ProjectFacts, Item>(
    name: Name,
    fact: unknown,
    isItem: (value: unknown) => value is Item
) {
    if (!isFields(fact) || typeof fact.mark !== "string" || !Array.isArray(fact.value)) {
        return {};
    }
    return { [name]: { mark: fact.mark, value: fact.value.filter(isItem).slice(0, MAX_ITEMS) } };
}

function isLanguage(value: unknown): value is ProjectFacts["languages"][number] {
    return (
        isFields(value) &&
        typeof value.language === "string" &&
        NAME.test(value.language) &&
        typeof value.percent === "number" &&
        value.percent >= 0 &&
        value.percent <= 100
    );
}

function isPath(value: unknown): value is string {
    return typeof value === "string" && value.length <= MAX_PATH_LENGTH && PATH.test(value);
}
