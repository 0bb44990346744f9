import { existsSync } from "node:fs";
import { isJsonRecord } from "./files/json-file.js";
import { northFilePath, readNorthFile, writeNorthFile } from "./grants/north-folder.js";

const VERSION = 1;
/** Git then leaves out what is of no use to anybody else, and this file too. */
const GIT_IGNORE = "cache.json\n.gitignore\n";

/** What takes long to find out about a project. */
export interface ProjectFacts {
    readonly languages: readonly { readonly language: string; readonly percent: number }[];
    readonly hotFiles: readonly string[];
}

const MOST = 20;
const LONGEST_PATH = 300;
// Controls would let a name in a file from elsewhere look like more than a name.
const NAME = /^[\p{L}\p{N} +#.'_*-]{1,40}$/u;
const PATH = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}`]{1,300}$/u;

/**
 * The facts in `REPO/.north/cache.json`, if they are of this state of the repository. The file may
 * have come with a clone, so that nothing but names and paths is taken out of it.
 */
export async function readProjectCache(
    root: string,
    fingerprint: string
): Promise<ProjectFacts | undefined> {
    const file = await readNorthFile(root, "cache.json");
    if (file.kind !== "value") return undefined;
    const { version, fingerprint: stored, languages, hotFiles } = file.value;
    if (version !== VERSION || stored !== fingerprint) return undefined;
    if (!Array.isArray(languages) || !Array.isArray(hotFiles)) return undefined;
    return {
        languages: languages.filter(isLanguage).slice(0, MOST),
        hotFiles: hotFiles.filter(isPath).slice(0, MOST),
    };
}

/** Keeps the facts for the next conversation. Rejects where `.north` cannot be written. */
export async function writeProjectCache(
    root: string,
    fingerprint: string,
    facts: ProjectFacts
): Promise<void> {
    // First, since after a kill in between nothing would ask for it any more.
    if (!existsSync(northFilePath(root, ".gitignore"))) {
        await writeNorthFile(root, ".gitignore", { content: GIT_IGNORE, durable: false });
    }

    const content = { version: VERSION, fingerprint, ...facts };
    await writeNorthFile(root, "cache.json", { content, durable: false });
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
