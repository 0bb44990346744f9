import { distance } from "fastest-levenshtein";

const MAX_MISTAKES = 2;
const MAX_PATHS = 3;
/** Below this, names have little more in common than their ending. */
const MIN_SIMILARITY = 0.5;

/** The most similar name, with at most a few letters wrong, missing, extra or swapped. */
export function nearName(typed: string, names: readonly string[]): string | undefined {
    const most = Math.min(MAX_MISTAKES, Math.floor(typed.length / 2));
    const [nearest] = names
        .map((name) => ({
            name,
            mistakes: mistakesBetween(typed, name),
            lengths: Math.abs(typed.length - name.length),
        }))
        .filter(({ mistakes }) => mistakes <= most)
        .sort((one, other) => one.mistakes - other.mistakes || one.lengths - other.lengths);
    return nearest?.name;
}

/** Swapped letters are one typo, not two. */
function mistakesBetween(typed: string, name: string): number {
    const mistakes = distance(typed, name);
    return mistakes <= MAX_MISTAKES && lettersOf(typed) === lettersOf(name)
        ? Math.min(mistakes, 1)
        : mistakes;
}

function lettersOf(word: string): string {
    return [...word].sort().join("");
}

/** Up to three of `paths` most similar to `path`, best first. */
export function nearPaths(path: string, paths: readonly string[]): readonly string[] {
    const name = nameOf(path);
    return paths
        .map((candidate) => {
            const nameSimilarity = similarity(name, nameOf(candidate));
            // The file name counts most; folders break ties.
            const pathSimilarity =
                nameSimilarity < MIN_SIMILARITY ? 0 : similarity(path, candidate);
            return { candidate, nameSimilarity, score: nameSimilarity + pathSimilarity / 2 };
        })
        .filter(({ nameSimilarity }) => nameSimilarity >= MIN_SIMILARITY)
        .sort((left, right) => right.score - left.score)
        .slice(0, MAX_PATHS)
        .map(({ candidate }) => candidate);
}

function nameOf(path: string): string {
    return path.slice(path.lastIndexOf("/") + 1);
}

/** The share of the longer text that is left unchanged by turning one into the other. */
function similarity(left: string, right: string): number {
    const changed = distance(left.toLowerCase(), right.toLowerCase());
    return 1 - changed / Math.max(left.length, right.length);
}
