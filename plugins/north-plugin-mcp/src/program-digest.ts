import { createHash } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { JsonRecord } from "./json.js";
import { PROJECT_VARIABLE } from "./folders.js";

/**
 * A digest of the repository's files that a definition names as its program or an argument, also
 * as `--option=FILE`. Empty if it names none.
 */
export async function programDigest({ command, args }: JsonRecord, root: string): Promise<string> {
    const words = [command, ...(Array.isArray(args) ? args : [])].filter(
        (word): word is string => typeof word === "string"
    );
    const hash = createHash("sha256");
    let count = 0;
    for (const word of words.flatMap((each) => [each, each.slice(each.indexOf("=") + 1)])) {
        const bytes = await contentOf(word.replaceAll(`\${${PROJECT_VARIABLE}}`, root), root);
        if (bytes === undefined) continue;
        count += 1;
        hash.update(`${word.length} ${word} ${bytes.length} `).update(bytes);
    }
    return count === 0 ? "" : hash.digest("hex");
}

/** The content of a file that a path below the root leads to. */
async function contentOf(word: string, root: string): Promise<Buffer | undefined> {
    const file = path.resolve(root, word);
    if (!isInside(root, file)) return undefined;
    try {
        const real = await realpath(file);
        return (await stat(real)).isFile() ? await readFile(real) : undefined;
    } catch {
        return undefined;
    }
}

export function isInside(root: string, file: string): boolean {
    const relative = path.relative(root, file);
    return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
