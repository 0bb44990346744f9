import type { FolderEntry } from "../../plugin/index.js";

/** Preferred names, best first; any other comes after these. */
const PREFERRED = ["readme.md", "readme.markdown", "readme", "readme.rst", "readme.txt"];

/** The name of a folder's README, the best one if there are several. */
export function readmeAmong(entries: readonly FolderEntry[]): string | undefined {
    return entries
        .filter(({ name, type }) => type !== "dir" && /^readme(\.|$)/i.test(name))
        .map(({ name }) => name)
        .sort((a, b) => rank(a) - rank(b) || a.length - b.length || (a < b ? -1 : 1))[0];
}

function rank(name: string): number {
    const position = PREFERRED.indexOf(name.toLowerCase());
    return position === -1 ? PREFERRED.length : position;
}
