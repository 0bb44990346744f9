import { entriesBelow } from "../../base/entries-below.js";

/** The Markdown files below a folder, relative to it, in order. A folder that cannot be read has none. */
export async function markdownFilesBelow(folder: string): Promise<readonly string[]> {
    const entries = await entriesBelow(folder).catch(() => []);
    return entries
        .filter(({ entry }) => entry.name.endsWith(".md") && !entry.isDirectory())
        .map(({ path }) => path)
        .sort();
}
