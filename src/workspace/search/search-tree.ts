import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { isExpectedError } from "../../base/north-error.js";
import type { SearchMatch, SearchResult } from "../../plugin/workspace.js";
import { openRegularFile, type OpenFile } from "../open-file.js";
import type { FileTree } from "../tree/file-tree.js";
import { Pacer } from "../../base/pacer.js";
import type { FoundLines, LineSearch, SearchBounds, FoundLine } from "./line-search.js";
import { searchWithRipgrep, type RipgrepTree } from "./ripgrep-search.js";
import { beginningOf, lineBlocks, linesAround, withoutReturn } from "./line-blocks.js";

export interface SearchSettings extends SearchBounds {
    readonly contextLines: number;
    readonly useRipgrep: boolean;
}

/** A folder of the workspace, and the files in it. */
interface SearchedTree extends RipgrepTree {
    readonly tree: FileTree;
}

export async function searchTree(
    search: LineSearch,
    folder: SearchedTree,
    settings: SearchSettings
): Promise<SearchResult> {
    const { found, total } = await findLinesInTree(search, folder, settings);
    const pacer = new Pacer("The search", settings.limitMs, settings.signal);
    const matches: SearchMatch[] = [];
    for (const path of new Set(found.map((each) => each.path))) {
        const file = await openRegularFile(search.root, path, folder.tree).catch(
            (error: unknown) => {
                // The file was removed or replaced since the search.
                if (isExpectedError(error)) return undefined;
                throw error;
            }
        );
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

/** One search of what is on disk and of copies of what is not, which stand for their files. */
async function findLinesInTree(
    search: LineSearch,
    folder: SearchedTree,
    settings: SearchSettings
): Promise<FoundLines> {
    const changed = folder.tree.filesBeside();
    if (changed.length === 0) return findLines(search, settings, folder);
    const listed = new Set(search.files);
    const beside = new Map<string, Promise<Uint8Array>>();
    for (const location of changed) {
        const path = relative(search.root, location);
        const content = listed.has(path) ? folder.tree.contentBeside(location) : undefined;
        if (content) beside.set(path, content);
    }
    // Copies only what may match, as each search writes and removes the copies.
    const mayMatch = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
        search.isRegex || Buffer.from(buffer, byteOffset, byteLength).includes(search.query);
    const contents = new Map<string, Uint8Array>();
    for (const [path, content] of beside) {
        const bytes = await content;
        if (folder.isAllowed(path) && mayMatch(bytes)) contents.set(path, bytes);
    }
    return withCopies(contents, async (copies, place) => {
        const originals = new Map([...copies].map(([path, copy]) => [copy, path]));
        const files = search.files.flatMap((path) =>
            beside.has(path) ? (copies.get(path) ?? []) : path
        );
        const { found, total } = await findLines({ ...search, files }, settings, {
            ...folder,
            ...(copies.size > 0 && { copies: place }),
            isAllowed: (path) => originals.has(path) || folder.isAllowed(path),
        });
        const inPlace = found.map((line) => ({
            ...line,
            path: originals.get(line.path) ?? line.path,
        }));
        return { found: inPlace, total };
    });
}

/** Synchronous: for a few files many times faster than promises. The names are numbers. */
async function withCopies<Result>(
    contents: ReadonlyMap<string, Uint8Array>,
    work: (copies: ReadonlyMap<string, string>, place: string) => Promise<Result>
): Promise<Result> {
    const place = mkdtempSync(join(tmpdir(), "north-search-"));
    try {
        const copies = new Map<string, string>();
        for (const [path, content] of contents) {
            const copy = join(place, String(copies.size));
            writeFileSync(copy, content);
            copies.set(path, copy);
        }
        return await work(copies, place);
    } finally {
        rmSync(place, { recursive: true, force: true });
    }
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

/** Max line length shown, in UTF-16 units; enough for any hand-written line. */
const MAX_SHOWN = 300;
const SHOWN_BEFORE = 100;

/** Returns nothing for a binary file, which only reading all of it can detect for sure. */
async function describeLines(
    file: OpenFile,
    found: readonly FoundLine[],
    {
        contextLines,
        isWhole = false,
    }: { readonly contextLines: number; readonly isWhole?: boolean },
    pacer: Pacer
): Promise<readonly SearchMatch[]> {
    const descriptor = file.handle.fd;
    const last = isWhole ? Infinity : Math.max(...found.map(({ offset }) => offset));
    let beginning = 0;
    let position = 0;
    for (const block of lineBlocks(descriptor, file.stats.size)) {
        if (block.includes(0)) return [];
        if (position === 0) beginning = beginningOf(block);
        position += block.length;
        if (position > last + beginning) break;
        if (pacer.isDue) await pacer.yieldToEventLoop();
    }
    const shown = (bytes: Buffer) => cutLine(withoutReturn(bytes).toString(), 0);
    return found.flatMap(({ line: number, start, offset }) => {
        const around = linesAround(descriptor, beginning + offset, contextLines);
        // The file was truncated since.
        if (around.line === undefined) return [];
        const line = withoutReturn(around.line);
        const before = line.toString("utf8", 0, start);
        const preview = cutLine(line.toString(), before.length);
        const match = { path: file.path, line: number, column: countPoints(before) + 1, preview };
        if (contextLines === 0) return match;
        const context = { before: around.before.map(shown), after: around.after.map(shown) };
        return { ...match, context };
    });
}

/** Cuts a long line for display, around `focus`. */
function cutLine(text: string, focus: number): string {
    if (text.length <= MAX_SHOWN) return text;
    const wanted = Math.max(Math.min(focus - SHOWN_BEFORE, text.length - MAX_SHOWN), 0);
    const start = wanted + (isSecondHalf(text, wanted) ? 1 : 0);
    const last = start + MAX_SHOWN;
    const end = last - (isSecondHalf(text, last) ? 1 : 0);
    return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}

function countPoints(text: string): number {
    let count = text.length;
    for (let index = 1; index < text.length; index++) if (isSecondHalf(text, index)) count -= 1;
    return count;
}

/** Whether the unit at `index` is a low surrogate that follows its high one. */
function isSecondHalf(text: string, index: number): boolean {
    const unit = text.charCodeAt(index);
    const before = text.charCodeAt(index - 1);
    return unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
}
