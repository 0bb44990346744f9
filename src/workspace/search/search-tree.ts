import { isExpectedError } from "../../base/north-error.js";
import type { SearchMatch, SearchResult } from "../../plugin/workspace.js";
import { openRegularFile, type OpenFile } from "../open-file.js";
import { Pacer } from "../../base/pacer.js";
import { describeLines } from "./describe-lines.js";
import type { FoundLines, LineSearch, SearchBounds } from "./line-search.js";
import { searchWithRipgrep, type RipgrepTree } from "./ripgrep-search.js";

export interface SearchSettings extends SearchBounds {
    readonly contextLines: number;
    readonly useRipgrep: boolean;
}

export async function searchTree(
    search: LineSearch,
    tree: RipgrepTree,
    settings: SearchSettings
): Promise<SearchResult> {
    const { found, total } = await findLines(search, settings, tree);
    const pacer = new Pacer("The search", settings.limitMs, settings.signal);
    const matches: SearchMatch[] = [];
    for (const path of new Set(found.map((each) => each.path))) {
        const file = await openRegularFile(search.root, path).catch((error: unknown) => {
            // The file was removed or replaced since the search.
            if (isExpectedError(error)) return undefined;
            throw error;
        });
        if (file === undefined) continue;
        try {
            const inFile = found.filter((each) => each.path === path);
            matches.push(...(await describeLines(file, inFile, settings, pacer)));
        } finally {
            await file.handle.close();
        }
    }
    // Do not count files that are gone or turned out to be binary.
    const left = total - (found.length - matches.length);
    return { matches, truncated: matches.length < left, total: left };
}

/** Searches one open file; a binary file has no matches. */
export async function searchFile(
    search: LineSearch,
    file: OpenFile,
    settings: SearchSettings
): Promise<SearchResult> {
    const { found, total } = await findLines(search, settings);
    const pacer = new Pacer("The search", settings.limitMs, settings.signal);
    const { contextLines } = settings;
    const matches =
        found.length > 0
            ? await describeLines(file, found, { contextLines, isWhole: true }, pacer)
            : [];
    const seen = matches.length > 0 ? total : 0;
    return { matches, truncated: matches.length < seen, total: seen };
}

async function findLines(
    search: LineSearch,
    settings: SearchSettings,
    tree?: RipgrepTree
): Promise<FoundLines> {
    const lines = settings.useRipgrep ? await searchWithRipgrep(search, settings, tree) : undefined;
    if (lines !== undefined) return lines;
    const { searchInWorker } = await import("./run-search-worker.js");
    const files = tree ? search.files.filter(tree.isAllowed) : search.files;
    return searchInWorker({ ...search, files }, settings);
}
