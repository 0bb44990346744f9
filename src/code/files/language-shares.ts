import type { Workspace } from "../../plugin/index.js";
import { sourceFiles } from "./source-files.js";

interface LanguageShare {
    readonly language: string;
    readonly bytes: number;
    /** Share of all bytes, with one decimal. */
    readonly percent: number;
}

/** The share of each language, largest first. */
export async function languageShares(
    workspace: Workspace,
    signal: AbortSignal
): Promise<readonly LanguageShare[]> {
    const bytesOf = new Map<string, number>();
    for (const { language, size } of await sourceFiles(workspace, signal)) {
        bytesOf.set(language, (bytesOf.get(language) ?? 0) + size);
    }

    const all = [...bytesOf.values()].reduce((sum, bytes) => sum + bytes, 0);
    return [...bytesOf]
        .filter(([, bytes]) => bytes > 0)
        .sort(([a, bytesOfA], [b, bytesOfB]) => bytesOfB - bytesOfA || (a < b ? -1 : 1))
        .map(([language, bytes]) => ({
            language,
            bytes,
            percent: Math.round((bytes / all) * 1000) / 10,
        }));
}
