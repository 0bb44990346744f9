import { distance } from "fastest-levenshtein";

const MOST = 3;
/** Below this, names have little more in common than their ending. */
const NEAR_ENOUGH = 0.5;

/** Up to three of `paths` that somebody who wrote `path` may have meant, the nearest first. */
export function nearNames(path: string, paths: readonly string[]): readonly string[] {
    const name = nameOf(path);
    return paths
        .map((candidate) => {
            const ofName = likeness(name, nameOf(candidate));
            // The name counts most; of equal names the one in the likeliest folder comes first.
            const ofPath = ofName < NEAR_ENOUGH ? 0 : likeness(path, candidate);
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

/** How much of the longer one stays as it is when the one is made from the other. */
function likeness(left: string, right: string): number {
    const changed = distance(left.toLowerCase(), right.toLowerCase());
    return 1 - changed / Math.max(left.length, right.length);
}
