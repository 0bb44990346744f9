import { isJsonRecord } from "./files/json-file.js";
import { cloneIdentity } from "./grants/clone-identity.js";
import { readNorthFile, sweepNorthFolder, writeNorthFile } from "./grants/north-folder.js";

const VERSION = 2;

/** What takes long to find out about a project. */
export interface ProjectFacts {
    readonly languages: readonly { readonly language: string; readonly percent: number }[];
    readonly hotFiles: readonly string[];
}

/** Each fact with the mark of the state it was found in; still useful when that has changed. */
export type KeptFacts = {
    readonly [Name in keyof ProjectFacts]?: {
        readonly mark: string;
        readonly value: ProjectFacts[Name];
    };
};

const MOST = 20;
const LONGEST_PATH = 300;
// Controls would let a name in a file from elsewhere look like more than a name.
const NAME = /^[\p{L}\p{N} +#.'_*-]{1,40}$/u;
const PATH = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}`]{1,300}$/u;

/**
 * The facts in `REPO/.north/cache.json` that were found in this clone. The file may also have come
 * with a clone, so that nothing but names and paths is taken out of it.
 */
export async function readProjectCache(root: string): Promise<KeptFacts> {
    // Each session reads it, and may never write there.
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

/** Keeps the facts for the next conversation. Rejects where `.north` cannot be written. */
export async function writeProjectCache(root: string, facts: KeptFacts): Promise<void> {
    const content = { version: VERSION, clone: await cloneIdentity(root), ...facts };
    await writeNorthFile(root, "cache.json", { content, durable: false });
}

function factOf<Name extends keyof ProjectFacts, Item>(
    name: Name,
    fact: unknown,
    isItem: (value: unknown) => value is Item
) {
    if (!isJsonRecord(fact) || typeof fact.mark !== "string" || !Array.isArray(fact.value)) {
        return {};
    }
    return { [name]: { mark: fact.mark, value: fact.value.filter(isItem).slice(0, MOST) } };
}

function isLanguage(value: unknown): value is ProjectFacts["languages"][number] {
    return (
        isJsonRecord(value) &&
        typeof value.language === "string" &&
        NAME.test(value.language) &&
        typeof value.percent === "number" &&
        value.percent >= 0 &&
        value.percent <= 100
    );
}

function isPath(value: unknown): value is string {
    return typeof value === "string" && value.length <= LONGEST_PATH && PATH.test(value);
}
