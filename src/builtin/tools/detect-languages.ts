import * as Type from "typebox";
import type { PlainTool } from "../../plugin/index.js";
import { languageShares, type LanguageShare } from "../../code/files/language-shares.js";
import { counted } from "../../base/format.js";
import { success } from "./results.js";

const MAX_LANGUAGES = 50;

const inputSchema = Type.Object({}, { additionalProperties: false });

export type DetectLanguagesInput = Type.Static<typeof inputSchema>;

/** What the repository is written in, most first. */
export interface DetectLanguagesData {
    readonly languages: readonly LanguageShare[];
    readonly truncated: boolean;
    readonly total: number;
}

export const detectLanguages: PlainTool<DetectLanguagesInput, DetectLanguagesData> = {
    name: "detect_languages",
    description: "Share of each programming and markup language in the repository.",
    approval: "none",
    readOnly: true,
    kind: "read",
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
