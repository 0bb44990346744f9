import type { Section } from "./section.js";

export interface OutlineSection extends Omit<Section, "children" | "definition"> {
    readonly children?: readonly OutlineSection[];
    readonly omitted?: number;
}

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

/** Share of the limit that must be free before showing part of a level. */
const ROOM_TO_DESCEND = 3 / 4;

/** The sections down to a depth, and the first few children below it. */
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

/** Counts the children of each section at a depth. */
function countsBelow(sections: readonly OutlineSection[], depth: number): number[] {
    return sections.flatMap(({ children = [] }) =>
        depth > 1 ? countsBelow(children, depth - 1) : [children.length]
    );
}

/** The largest number of children that every parent may show. */
function fairShare(counts: readonly number[], room: number): number {
    let share = 0;
    const taken = (most: number) => counts.reduce((sum, count) => sum + Math.min(count, most), 0);
    while (share < room && taken(share + 1) <= room) share += 1;
    return share;
}

/**
 * The outline with at most `limit` entries. The deepest levels are dropped first; if there is room,
 * each parent keeps the first few of the next level. Then entries at the end are dropped.
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
