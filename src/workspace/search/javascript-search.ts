import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { resolve } from "node:path";
import { attempt } from "../../base/attempt.js";
import { beginningOf, linesOf, lineBlocks, withoutReturn } from "./line-blocks.js";
import { isInRange, type FoundLine, type FoundLines, type LineSearch } from "./line-search.js";

const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

interface Matcher {
    /** Returns `false` only if no line of the block matches. */
    mayMatch(block: Buffer): boolean;
    /** Offset of the first match in the line; negative if none. */
    indexIn(line: Buffer): number;
}

/** Finds matching lines. Blocks the thread meanwhile. */
export async function searchWithJavaScript(search: LineSearch): Promise<FoundLines> {
    const matcher = search.isRegex ? await regexMatcher(search.query) : textMatcher(search.query);
    const found: FoundLine[] = [];
    let total = 0;
    for (const path of search.files) {
        const descriptor =
            search.descriptor ?? attempt(() => openSync(resolve(search.root, path), FLAGS));
        if (descriptor === undefined) continue;
        try {
            const room = search.limit - found.length;
            const inFile = searchDescriptor(descriptor, path, { ...search, limit: room }, matcher);
            found.push(...inFile.found);
            total += inFile.total;
        } finally {
            if (search.descriptor === undefined) closeSync(descriptor);
        }
    }
    return { found, total };
}

function textMatcher(query: string): Matcher {
    const needle = Buffer.from(query);
    return {
        mayMatch: (block) => block.includes(needle),
        indexIn: (line) => line.indexOf(needle),
    };
}

async function regexMatcher(query: string): Promise<Matcher> {
    const { RE2JS } = await import("re2js");
    const regex = RE2JS.compile(query);
    return {
        mayMatch: () => true,
        indexIn: (line) => {
            const bytes = withoutReturn(line);
            // `test` alone is several times faster than locating the match.
            if (!regex.test(bytes)) return -1;
            const match = regex.matcher(bytes);
            return match.find() ? match.start() : -1;
        },
    };
}

function searchDescriptor(
    descriptor: number,
    path: string,
    search: LineSearch,
    matcher: Matcher
): FoundLines {
    const nothing: FoundLines = { found: [], total: 0 };
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return nothing;
    const found: FoundLine[] = [];
    let total = 0;
    let number = 0;
    let position = 0;
    for (const block of lineBlocks(descriptor, stats.size)) {
        if (block.includes(0)) return nothing;
        const mayMatch = matcher.mayMatch(block);
        const from = number === 0 ? beginningOf(block) : 0;
        position -= from;
        for (const line of linesOf(block, from)) {
            number += 1;
            const start = mayMatch && isInRange(number, search) ? matcher.indexIn(line) : -1;
            if (start < 0) continue;
            total += 1;
            if (found.length >= search.limit) continue;
            const offset = position + line.byteOffset - block.byteOffset;
            found.push({ path, line: number, offset, start });
        }
        position += block.length;
    }
    return { found, total };
}
