import type { SectionType } from "./section.js";

export interface OutlineSection {
    readonly type: SectionType;
    readonly name: string;
    readonly startLine: number;
    readonly endLine: number;
    readonly children?: readonly OutlineSection[];
    /** So many more of its parts are left out. */
    readonly omitted?: number;
}

/** How many sections there are at each depth. */
function countByDepth(
    sections: readonly OutlineSection[],
    counts: number[] = [],
    depth = 0
): number[] {
    counts[depth] = (counts[depth] ?? 0) + sections.length;
    for (const { children = [] } of sections) {
        if (children.length > 0) countByDepth(children, counts, depth + 1);
    }

    return counts;
}

/** So many of the limit have to be free for a level that does not fit as a whole. */
const ROOM_TO_DESCEND = 3 / 4;

/** The sections down to a depth, and below it the first few of each. */
function withinDepth(
    sections: readonly OutlineSection[],
    depth: number,
    few: number
): OutlineSection[] {
    return sections.map(({ type, name, startLine, endLine, children = [], omitted = 0 }) => {
        const section = { type, name, startLine, endLine };
        const inner =
            depth > 1
                ? withinDepth(children, depth - 1, few)
                : withinDepth(children.slice(0, few), 1, 0);
        const missing = omitted + children.length - inner.length;
        if (inner.length === 0) return section;
        return { ...section, children: inner, ...(missing > 0 ? { omitted: missing } : {}) };
    });
}

/** How many sections there are below each one at a depth. */
function countsBelow(sections: readonly OutlineSection[], depth: number): number[] {
    return sections.flatMap(({ children = [] }) =>
        depth > 1 ? countsBelow(children, depth - 1) : [children.length]
    );
}

/** The largest number that each may have of what is below it. */
function fairShare(counts: readonly number[], room: number): number {
    let share = 0;
    const taken = (most: number) => counts.reduce((sum, count) => sum + Math.min(count, most), 0);
    while (share < room && taken(share + 1) <= room) share += 1;
    return share;
}

/**
 * The outline with at most `limit` entries. The deepest go first; of a level that does not fit each
 * parent keeps the first few, where there is room; then those at the end go.
 */
export function outlineOf(
    sections: readonly OutlineSection[],
    limit: number
): { readonly sections: readonly OutlineSection[]; readonly total: number } {
    const counts = countByDepth(sections);
    const total = counts.reduce((sum, count) => sum + count, 0);
    let depth = counts.length;
    let kept = total;
    for (; depth > 1 && kept > limit; depth--) kept -= counts[depth - 1] ?? 0;
    const room = limit - kept;
    const few =
        depth < counts.length && room >= limit * ROOM_TO_DESCEND
            ? fairShare(countsBelow(sections, depth), room)
            : 0;
    return { sections: withinDepth(sections, depth, few).slice(0, limit), total };
}
