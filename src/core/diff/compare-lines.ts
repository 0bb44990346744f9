import { diffArrays } from "diff";
import { countWhile } from "../../base/count-below.js";

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

/** A line of each side. */
type Pair = readonly [before: number, after: number];

export function compareLines(before: readonly string[], after: readonly string[]): Segment[] {
    const partner = partnersOf(before, after);
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

/**
 * For each line of `before`, its index in `after`, or -1 if it is gone. Large segments are split at
 * lines unique on both sides (patience diff, Bram Cohen), then Myers' algorithm runs within. A
 * large segment without such lines becomes one replacement, because the smallest diff takes
 * quadratic time.
 */
export function partnersOf(before: readonly string[], after: readonly string[]): Int32Array {
    return new Alignment(before, after).partner;
}

class Alignment {
    readonly partner: Int32Array;

    constructor(
        private readonly before: readonly string[],
        private readonly after: readonly string[]
    ) {
        this.partner = new Int32Array(before.length).fill(-1);
        this.align([0, 0], [before.length, after.length], 0);
    }

    /** Aligns the lines from one pair to another, which is not included. */
    private align(start: Pair, end: Pair, depth: number): void {
        const { before, after, partner } = this;
        let [old, fresh] = start;
        let [oldEnd, freshEnd] = end;
        while (old < oldEnd && fresh < freshEnd && before[old] === after[fresh]) {
            partner[old++] = fresh++;
        }
        while (old < oldEnd && fresh < freshEnd && before[oldEnd - 1] === after[freshEnd - 1]) {
            partner[--oldEnd] = --freshEnd;
        }
        const pairs = (oldEnd - old) * (freshEnd - fresh);
        if (pairs === 0) return;
        let from: Pair = [old, fresh];
        const to: Pair = [oldEnd, freshEnd];
        const isLarge = pairs > MAX_UNSPLIT_PAIRS && depth < MAX_DEPTH;
        const anchors = isLarge ? this.anchors(from, to) : [];
        if (anchors.length === 0) return this.alignSmallest(from, to);
        for (const anchor of anchors) {
            this.align(from, anchor, depth + 1);
            const [anchored, match] = anchor;
            partner[anchored] = match;
            from = [anchored + 1, match + 1];
        }
        this.align(from, to, depth + 1);
    }

    private alignSmallest([from, freshFrom]: Pair, [to, freshTo]: Pair): void {
        const { before, after, partner } = this;
        const parts = diffArrays(before.slice(from, to), after.slice(freshFrom, freshTo), {
            maxEditLength: MAX_EDIT_LENGTH,
        });
        let [old, fresh] = [from, freshFrom];
        for (const { count, added, removed } of parts ?? []) {
            if (!added && !removed) {
                for (let index = 0; index < count; index += 1) partner[old + index] = fresh + index;
            }
            if (!added) old += count;
            if (!removed) fresh += count;
        }
    }

    /** Lines unique on both sides, as many as appear in the same order. */
    private anchors([from, freshFrom]: Pair, [to, freshTo]: Pair): readonly Pair[] {
        const matches = uniqueLines(this.after, freshFrom, freshTo);
        const candidates: Pair[] = [];
        for (const [line, index] of uniqueLines(this.before, from, to)) {
            const match = matches.get(line);
            if (match !== undefined) candidates.push([index, match]);
        }
        return longestIncreasing(candidates);
    }
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

/** The longest subsequence whose second lines increase too, by patience sorting. */
function longestIncreasing(candidates: readonly Pair[]): readonly Pair[] {
    const previous = new Int32Array(candidates.length);
    const ends: number[] = [];
    for (const [index, [, after]] of candidates.entries()) {
        const lower = countWhile(
            ends.length,
            (length) => (candidates[ends[length] ?? 0]?.[1] ?? 0) < after
        );
        previous[index] = lower > 0 ? (ends[lower - 1] ?? -1) : -1;
        ends[lower] = index;
    }
    const chosen: Pair[] = [];
    for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) {
        const pair = candidates[index];
        if (pair) chosen.push(pair);
    }
    return chosen.reverse();
}
