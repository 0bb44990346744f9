const MOST = 3;
/** Below this, names have little more in common than their ending. */
const NEAR_ENOUGH = 0.5;

/** Up to three of `paths` that somebody who wrote `path` may have meant, the nearest first. */
export function nearNames(path: string, paths: readonly string[]): readonly string[] {
    const name = nameOf(path);
    const wholePairs = pairs(path);
    const namePairs = pairs(name);
    return paths
        .map((candidate) => {
            const ofName = likeness(namePairs, pairs(nameOf(candidate)));
            // The name counts most; of equal names the one in the likeliest folder comes first.
            const ofPath = ofName < NEAR_ENOUGH ? 0 : likeness(wholePairs, pairs(candidate));
            return { candidate, ofName, score: ofName + ofPath / 2 };
        })
        .filter(({ ofName }) => ofName >= NEAR_ENOUGH)
        .sort((left, right) => right.score - left.score)
        .slice(0, MOST)
        .map(({ candidate }) => candidate);
}

function nameOf(path: string): string {
    return path.slice(path.lastIndexOf("/") + 1);
}

function pairs(text: string): ReadonlySet<string> {
    const folded = `^${text.toLowerCase()}$`;
    return new Set(Array.from({ length: folded.length - 1 }, (_, at) => folded.slice(at, at + 2)));
}

/** Twice the pairs in common, through all pairs (Sørensen and Dice). */
function likeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
    let common = 0;
    for (const pair of left) {
        common += right.has(pair) ? 1 : 0;
    }
    return (2 * common) / (left.size + right.size);
}
