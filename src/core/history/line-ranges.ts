/** Line numbers as ranges, sorted, as the notes of Git AI write them: `1-4,9,12`. */
export function rangesOf(lines: Iterable<number>): string {
    const ranges: [first: number, last: number][] = [];
    for (const line of [...new Set(lines)].sort((one, other) => one - other)) {
        const range = ranges.at(-1);
        if (range && range[1] === line - 1) range[1] = line;
        else ranges.push([line, line]);
    }
    return ranges
        .map(([first, last]) => (first === last ? String(first) : `${first}-${last}`))
        .join(",");
}

/** Lines with what is known of each, grouped by that. */
export function groupedLines<Facts extends object>(
    lines: Iterable<readonly [Facts, number]>
): readonly (Facts & { readonly lines: string })[] {
    const groups = new Map<string, { readonly facts: Facts; readonly numbers: number[] }>();
    for (const [facts, line] of lines) {
        const key = JSON.stringify(facts);
        const group = groups.get(key) ?? { facts, numbers: [] };
        group.numbers.push(line);
        groups.set(key, group);
    }
    return [...groups.values()].map(({ facts, numbers }) => ({
        ...facts,
        lines: rangesOf(numbers),
    }));
}

/** The ranges in such a text; what is not a range is left out. */
export function rangesIn(text: string): readonly (readonly [first: number, last: number])[] {
    return text.split(",").flatMap((range) => {
        const [, first, last = first] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(range) ?? [];
        return first === undefined ? [] : [[Number(first), Number(last)] as const];
    });
}

/** Tests line numbers, in time that does not depend on how many lines the ranges cover. */
export function inRanges(text: string): (line: number) => boolean {
    const ranges = rangesIn(text);
    return (line) => ranges.some(([first, last]) => first <= line && line <= last);
}
