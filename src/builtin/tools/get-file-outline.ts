import * as Type from "typebox";
import { counted } from "../../base/format.js";
import { outlineOf } from "../../code/outline.js";
import { readOnlyTool } from "./read-only-tool.js";
import { digestOfList, MAX_ENTRIES } from "./reading/digest-of-list.js";
import { readStructured } from "./reading/source-parts.js";
import { success } from "./results.js";
import { readOf } from "./equivalents.js";

const LIMIT = 1000;

export const getFileOutline = readOnlyTool({
    name: "get_file_outline",
    description: "Outline a file as nested sections with line ranges; else 50-line chunks.",
    kind: "read",
    input: { path: Type.String() },
    equivalents: readOf,
    intent: (input) => `Outlining ${input.path}`,
    async execute({ path }, context) {
        const { structure } = await readStructured(context, path);
        const { language, note } = structure;
        const { sections, total } = outlineOf(structure.sections, LIMIT);
        return success({
            language,
            sections,
            ...(total > LIMIT ? { truncated: true, total } : {}),
            ...(note === undefined ? {} : { hint: note }),
        });
    },
    summary: (data) => counted(data.total ?? data.sections.length, "section"),
    digest(data) {
        const { sections, total } = outlineOf(data.sections, MAX_ENTRIES);
        return digestOfList(data, "sections", sections, data.total ?? total);
    },
});
