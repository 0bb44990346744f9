import { countedAtLeast } from "../../base/format.js";
import { languageShares } from "../../code/files/language-shares.js";
import { readOnlyTool } from "./read-only-tool.js";
import { success } from "./results.js";

const MAX_LANGUAGES = 50;

export const detectLanguages = readOnlyTool({
    name: "detect_languages",
    description: "Share of each programming and markup language in the repository.",
    kind: "read",
    input: {},
    intent: () => "Detecting languages",
    async execute(_input, { workspace, signal }) {
        const languages = await languageShares(workspace, signal);
        return success({
            languages: languages.slice(0, MAX_LANGUAGES),
            truncated: languages.length > MAX_LANGUAGES,
            total: languages.length,
        });
    },
    summary: (data) => countedAtLeast(data.languages.length, "language", data),
});
