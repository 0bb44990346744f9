import { diffArrays } from "diff";

/** A run of lines, including line ends: equal on both sides, or one replaced by the other. */
export interface Segment {
    readonly before: readonly string[];
    readonly after: readonly string[];
    readonly isEqual: boolean;
}

/** Larger segments, counted in pairs of lines, are split at anchors first. */
const MAX_UNSPLIT_PAIRS = 1_000_000;
/** Myers' algorithm is quadratic in this; a longer script becomes one replacement. */
const MAX_EDIT_LENGTH = 3_000;
/** Adversarial texts could yield one anchor per level. */
const MAX_DEPTH = 8;

interface Range {
    readonly beforeStart: number;
    readonly beforeEnd: number;
    readonly afterStart: number;
    readonly afterEnd: number;
}

export function compareLines(before: readonly string[], after: readonly string[]): Segment[] {
    return segmentsOf(before, after, partnersOf(before, after));
}

/**
 * For each line of `before`, its index in `after`, or -1 if it is gone. Large segments are split at
 * lines unique on both sides (patience diff, Bram Cohen), then Myers' algorithm runs within. A
 * large segment without such lines becomes one replacement, because the smallest diff takes
 * quadratic time.
 */
export function partnersOf(before: readonly string[], after: readonly string[]): Int32Array {
    const partner = new Int32Array(before.length).fill(-1);
    align(before, after, whole(before, after), partner, 0);
    return partner;
}

function whole(before: readonly string[], after: readonly string[]): Range {
    return { beforeStart: 0, beforeEnd: before.length, afterStart: 0, afterEnd: after.length };
}

function align(
    before: readonly string[],
    after: readonly string[],
    segment: Range,
    partner: Int32Array,
    depth: number
): void {
    const rest = withoutEqualEnds(before, after, segment, partner);
    const { beforeStart, beforeEnd, afterStart, afterEnd } = rest;
    const pairs = (beforeEnd - beforeStart) * (afterEnd - afterStart);
    if (pairs === 0) return;
    const anchors =
        pairs > MAX_UNSPLIT_PAIRS && depth < MAX_DEPTH ? anchorsOf(before, after, rest) : [];
    if (anchors.length === 0) return alignSmallest(before, after, rest, partner);
    let [lastBefore, lastAfter] = [beforeStart, afterStart];
    for (const anchor of [...anchors, { before: beforeEnd, after: afterEnd }]) {
        const between = {
            beforeStart: lastBefore,
            beforeEnd: anchor.before,
            afterStart: lastAfter,
            afterEnd: anchor.after,
        };
        align(before, after, between, partner, depth + 1);
        if (anchor.before < beforeEnd) partner[anchor.before] = anchor.after;
        [lastBefore, lastAfter] = [anchor.before + 1, anchor.after + 1];
    }
}

function withoutEqualEnds(
    before: readonly string[],
    after: readonly string[],
    segment: Range,
    partner: Int32Array
): Range {
    let { beforeStart, beforeEnd, afterStart, afterEnd } = segment;
    while (
        beforeStart < beforeEnd &&
        afterStart < afterEnd &&
        before[beforeStart] === after[afterStart]
    ) {
        partner[beforeStart++] = afterStart++;
    }
    while (
        beforeStart < beforeEnd &&
        afterStart < afterEnd &&
        before[beforeEnd - 1] === after[afterEnd - 1]
    ) {
        partner[--beforeEnd] = --afterEnd;
    }
    return { beforeStart, beforeEnd, afterStart, afterEnd };
}

function alignSmallest(
    before: readonly string[],
    after: readonly string[],
    { beforeStart, beforeEnd, afterStart, afterEnd }: Range,
    partner: Int32Array
): void {
    const parts = diffArrays(
        before.slice(beforeStart, beforeEnd),
        after.slice(afterStart, afterEnd),
        { maxEditLength: MAX_EDIT_LENGTH }
    );
    let [old, fresh] = [beforeStart, afterStart];
    for (const { count, added, removed } of parts ?? []) {
        if (!added && !removed) {
            for (let index = 0; index < count; index += 1) partner[old + index] = fresh + index;
        }
        if (!added) old += count;
        if (!removed) fresh += count;
    }
}

interface Anchor {
    readonly before: number;
    readonly after: number;
}

/** Lines unique on both sides, as many as appear in the same order. */
function anchorsOf(
    before: readonly string[],
    after: readonly string[],
    { beforeStart, beforeEnd, afterStart, afterEnd }: Range
): Anchor[] {
    const onlyBefore = uniqueLines(before, beforeStart, beforeEnd);
    const onlyAfter = uniqueLines(after, afterStart, afterEnd);
    const candidates: Anchor[] = [];
    for (const [line, index] of onlyBefore) {
        const match = onlyAfter.get(line);
        if (match !== undefined) candidates.push({ before: index, after: match });
    }
    return longestIncreasing(candidates);
}

function uniqueLines(lines: readonly string[], start: number, end: number): Map<string, number> {
    const unique = new Map<string, number>();
    const repeated = new Set<string>();
    for (let index = start; index < end; index += 1) {
        const line = lines[index] ?? "";
        if (repeated.has(line)) continue;
        if (unique.delete(line)) repeated.add(line);
        else unique.set(line, index);
    }
    return unique;
}

/** The longest subsequence with increasing `after`, by patience sorting. */
function longestIncreasing(candidates: readonly Anchor[]): Anchor[] {
    const previous = new Int32Array(candidates.length);
    const ends: number[] = [];
    for (const [index, { after }] of candidates.entries()) {
        let [low, high] = [0, ends.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            if ((candidates[ends[middle] ?? 0]?.after ?? 0) < after) low = middle + 1;
            else high = middle;
        }
        previous[index] = low > 0 ? (ends[low - 1] ?? -1) : -1;
        ends[low] = index;
    }
    const chosen: Anchor[] = [];
    for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) {
        const anchor = candidates[index];
        if (anchor) chosen.push(anchor);
    }
    return chosen.reverse();
}

function segmentsOf(
    before: readonly string[],
    after: readonly string[],
    partner: Int32Array
): Segment[] {
    const segments: Segment[] = [];
    let [old, fresh] = [0, 0];
    const add = (oldEnd: number, freshEnd: number, isEqual: boolean): void => {
        if (oldEnd === old && freshEnd === fresh) return;
        segments.push({
            before: before.slice(old, oldEnd),
            after: after.slice(fresh, freshEnd),
            isEqual,
        });
        [old, fresh] = [oldEnd, freshEnd];
    };
    while (old < before.length || fresh < after.length) {
        let end = old;
        while (end < before.length && partner[end] === -1) end += 1;
        add(end, end < before.length ? (partner[end] ?? 0) : after.length, false);
        let count = 0;
        while (old + count < before.length && partner[old + count] === fresh + count) count += 1;
        add(old + count, fresh + count, true);
    }
    return segments;
}
