import { readdir } from "node:fs/promises";
import path from "node:path";

/**
 * The Markdown files below a folder, relative to it, in order. Linked folders are not followed: a
 * repository can link a folder to itself. A folder that cannot be read has none.
 */
export async function markdownFilesBelow(folder: string): Promise<readonly string[]> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries
        .filter((entry) => entry.name.endsWith(".md") && !entry.isDirectory())
        .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
        .map((file) => file.split(path.sep).join("/"))
        .sort();
}
