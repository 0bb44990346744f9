import * as Type from "typebox";
import { counted } from "../../base/format.js";
import { blocksOf } from "../../code/blocks.js";
import { BLOCK_KINDS } from "../../code/language.js";
import { readOnlyTool } from "./read-only-tool.js";
import { digestOfList } from "./reading/digest-of-list.js";
import { readStructured } from "./reading/source-parts.js";
import { success } from "./results.js";
import { readOf } from "./equivalents.js";

const LIMIT = 1000;

const kind = Type.Enum([...BLOCK_KINDS, "all"], { default: "all" });

export const findBlocks = readOnlyTool({
    name: "find_blocks",
    description:
        "Map a file to block ids and line ranges, without content; HTML with its style and script.",
    kind: "search",
    input: { path: Type.String(), kind: Type.Optional(kind) },
    equivalents: readOf,
    intent: (input) => `Mapping blocks of ${input.path}`,
    async execute({ path, kind = "all" }, context) {
        const { file, structure } = await readStructured(context, path);
        const blocks = blocksOf(structure, kind);
        const isMistaken = blocks.length === 0 && kind !== "all";
        const mistake = `No ${kind} in this ${structure.language} file; omit kind.`;
        const hint = structure.note ?? (isMistaken ? mistake : undefined);
        return success({
            totalLines: file.lines.length,
            blocks: blocks.slice(0, LIMIT),
            ...(blocks.length > LIMIT ? { truncated: true, total: blocks.length } : {}),
            ...(hint === undefined ? {} : { hint }),
        });
    },
    summary: (data) => counted(data.total ?? data.blocks.length, "block"),
    digest: (data) => digestOfList(data, "blocks"),
});
