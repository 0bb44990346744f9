/** Code points from the first to the last, both included. */
export type Range = readonly [first: number, last: number];

/** What stands between brackets, or for a class such as `\d`. */
export interface CharacterSet {
    readonly negated: boolean;
    readonly ranges: readonly Range[];
    /** Unicode properties, by name: `L`, `Greek`. */
    readonly properties: readonly string[];
    /** Negated classes among the members: the `\D` in `[\D_]`. */
    readonly complements: readonly CharacterSet[];
}

/** The engines differ only in what a string can hold that a file cannot. */
export type Engine = "ripgrep" | "javascript";

const LAST = 0x10ffff;
const LINE_FEED: Range = [0x0a, 0x0a];
const CARRIAGE_RETURN: Range = [0x0d, 0x0d];
// In a decoded line these stand for bytes that are not UTF-8 (see decode-line.ts). Ripgrep matches
// no such byte with any class, and refuses to have them named.
const SURROGATES: Range = [0xd800, 0xdfff];

/** A set of ranges only. */
export function setOf(ranges: readonly Range[], negated = false): CharacterSet {
    return { negated, ranges, properties: [], complements: [] };
}

/**
 * Writes a set in the syntax that both engines share. A set never matches the end of a line, and a
 * negated one matches no part of CR LF. `undefined` for a set that can match nothing.
 */
export function writeSet(set: CharacterSet, engine: Engine): string | undefined {
    return set.negated ? writeNegated(set, engine) : writePositive(set, engine);
}

function writePositive(set: CharacterSet, engine: Engine): string | undefined {
    const members =
        writeRanges(subtract(set.ranges, [LINE_FEED, SURROGATES])) + writeProperties(set);
    const branches = set.complements.flatMap((complement) => writeSet(complement, engine) ?? []);
    if (members !== "") branches.push(`[${members}]`);

    return branches.length < 2 ? branches[0] : `(?:${branches.join("|")})`;
}

function writeNegated(set: CharacterSet, engine: Engine): string | undefined {
    const [complement] = set.complements;
    const always =
        engine === "javascript"
            ? [LINE_FEED, CARRIAGE_RETURN, SURROGATES]
            : [LINE_FEED, CARRIAGE_RETURN];
    if (complement === undefined) {
        return `[^${writeRanges(merge([...set.ranges, ...always]))}${writeProperties(set)}]`;
    }

    // `[^\Db]` is what \d has without b. Ranges are counted out, so that the engines are told the
    // same characters whether they mind the case or not; a property can only be named again, negated.
    const isPlain =
        set.properties.length === 0 &&
        set.complements.every(({ properties }) => !properties.length);
    if (isPlain) {
        const excluded = set.complements.flatMap((each) => invert(each.ranges));
        const left = invert(merge([...set.ranges, ...excluded]));
        const members = writeRanges(subtract(left, [LINE_FEED, CARRIAGE_RETURN, SURROGATES]));
        return members === "" ? undefined : `[${members}]`;
    }
    const ranges = set.complements.flatMap((each) =>
        each.properties.length === 0 ? subtract(invert(each.ranges), [SURROGATES]) : []
    );
    const negatedProperties = set.complements
        .flatMap(({ properties }) => properties)
        .map((name) => `\\P{${name}}`)
        .join("");
    const all = merge([...set.ranges, ...ranges, ...always]);
    return `[^${writeRanges(all)}${writeProperties(set)}${negatedProperties}]`;
}

function writeProperties(set: CharacterSet): string {
    return set.properties.map((name) => `\\p{${name}}`).join("");
}

function writeRanges(ranges: readonly Range[]): string {
    return ranges.map(([first, last]) => `${writePoint(first)}-${writePoint(last)}`).join("");
}

/** A code point in a form that has no meaning of its own in either engine. */
export function writePoint(point: number): string {
    const character = String.fromCodePoint(point);
    return /[0-9A-Za-z]/.test(character) || point > 0xffff
        ? character
        : `\\x{${point.toString(16)}}`;
}

function merge(ranges: readonly Range[]): Range[] {
    const merged: Range[] = [];
    for (const [first, last] of ranges.toSorted((left, right) => left[0] - right[0])) {
        const previous = merged.at(-1);
        if (previous !== undefined && first <= previous[1] + 1) {
            merged[merged.length - 1] = [previous[0], Math.max(previous[1], last)];
        } else {
            merged.push([first, last]);
        }
    }
    return merged;
}

function invert(ranges: readonly Range[]): Range[] {
    const inverted: Range[] = [];
    let next = 0;
    for (const [first, last] of merge(ranges)) {
        if (first > next) inverted.push([next, first - 1]);

        next = last + 1;
    }
    if (next <= LAST) inverted.push([next, LAST]);

    return inverted;
}

function subtract(ranges: readonly Range[], removed: readonly Range[]): Range[] {
    return invert(merge([...invert(ranges), ...removed]));
}
