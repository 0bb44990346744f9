import * as Type from "typebox";
import type { PlainTool, Workspace } from "../../plugin/index.js";
import { sizesOf } from "../../code/files/file-sizes.js";
import {
    languageOfFiles,
    sourcePaths,
    type SourceFile,
} from "../../code/files/language-of-files.js";
import { counted } from "./reading/wording.js";
import { success } from "./results.js";

const MAX_LANGUAGES = 50;

const inputSchema = Type.Object({}, { additionalProperties: false });

export type DetectLanguagesInput = Type.Static<typeof inputSchema>;

/** What the repository is written in, most first. */
export interface DetectLanguagesData {
    readonly languages: readonly {
        readonly language: string;
        readonly bytes: number;
        /** Of the bytes of all languages, with one decimal. */
        readonly percent: number;
    }[];
    readonly truncated: boolean;
    readonly total: number;
}

export const detectLanguages: PlainTool<DetectLanguagesInput, DetectLanguagesData> = {
    name: "detect_languages",
    description: "Share of each programming and markup language in the repository.",
    approval: "none",
    readOnly: true,
    inputSchema,
    intent: () => "Detecting languages",
    summary: (data) => counted(data.languages.length, "language", data.truncated),
    async execute(_input, { workspace, signal }) {
        const languages = await languageShares(workspace, signal);
        return success({
            languages: languages.slice(0, MAX_LANGUAGES),
            truncated: languages.length > MAX_LANGUAGES,
            total: languages.length,
        });
    },
};

/** The share of every language, most first. */
export async function languageShares(
    workspace: Workspace,
    signal: AbortSignal
): Promise<DetectLanguagesData["languages"]> {
    const paths = await sourcePaths(await workspace.files({ signal }));
    return sharesOf(await languageOfFiles(await sizesOf(workspace, paths, signal)));
}

function sharesOf(files: readonly SourceFile[]): DetectLanguagesData["languages"] {
    const bytesOf = new Map<string, number>();
    for (const { language, size } of files) {
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
