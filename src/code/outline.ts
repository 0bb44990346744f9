import type { SectionType } from "./section.js";

/** One entry of an outline. */
export interface OutlineSection {
    readonly type: SectionType;
    readonly name: string;
    readonly startLine: number;
    readonly endLine: number;
    readonly children?: readonly OutlineSection[];
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

function withinDepth(sections: readonly OutlineSection[], depth: number): OutlineSection[] {
    return sections.map(({ type, name, startLine, endLine, children = [] }) => {
        const section = { type, name, startLine, endLine };
        const inner = depth > 1 ? withinDepth(children, depth - 1) : [];
        return inner.length > 0 ? { ...section, children: inner } : section;
    });
}

/** The outline with at most `limit` entries; the deepest go first, then those at the end. */
export function outlineOf(
    sections: readonly OutlineSection[],
    limit: number
): { readonly sections: readonly OutlineSection[]; readonly total: number } {
    const counts = countByDepth(sections);
    const total = counts.reduce((sum, count) => sum + count, 0);
    let depth = counts.length;
    for (let kept = total; depth > 1 && kept > limit; depth--) kept -= counts[depth - 1] ?? 0;
    return { sections: withinDepth(sections, depth).slice(0, limit), total };
}
