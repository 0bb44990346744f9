import * as Type from "typebox";
import type { PlainTool } from "../../plugin/index.js";
import { outlineOf, type OutlineSection } from "../../code/outline.js";
import { readStructure } from "../../code/structure.js";
import { readTextFile } from "../../code/text/text-file.js";
import { counted } from "../../base/format.js";
import { digestOfList, MOST_ENTRIES } from "./reading/digest-of-list.js";
import { success } from "./results.js";

const LIMIT = 1000;

const inputSchema = Type.Object({ path: Type.String() }, { additionalProperties: false });

export type GetFileOutlineInput = Type.Static<typeof inputSchema>;

/** The parts of a file, nested. */
export interface GetFileOutlineData {
    readonly language: string;
    readonly sections: readonly OutlineSection[];
    /** Some of `total` sections are left out, the innermost ones first. */
    readonly truncated?: true;
    readonly total?: number;
    readonly hint?: string;
}

export const getFileOutline: PlainTool<GetFileOutlineInput, GetFileOutlineData> = {
    name: "get_file_outline",
    description:
        "Outline a file as nested sections with line ranges: code, HTML, CSS, Markdown; else 50-line chunks.",
    approval: "none",
    readOnly: true,
    kind: "read",
    inputSchema,
    intent: (input) => `Outlining ${input.path}`,
    summary: (data) => counted(data.total ?? data.sections.length, "section"),
    digest(data) {
        const { sections, total } = outlineOf(data.sections, MOST_ENTRIES);
        return digestOfList(data, "sections", sections, data.total ?? total);
    },
    async execute(input, { workspace, signal }) {
        const file = await readTextFile(workspace, input.path);
        const structure = await readStructure(file.path, file.lines.join("\n"), signal);
        const { sections, total } = outlineOf(structure.sections, LIMIT);
        return success({
            language: structure.language,
            sections,
            ...(total > LIMIT ? { truncated: true, total } : {}),
            ...(structure.note === undefined ? {} : { hint: structure.note }),
        });
    },
};
