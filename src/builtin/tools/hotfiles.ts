import * as Type from "typebox";
import type { PlainTool } from "../../plugin/index.js";
import { findHotfiles, type Hotfiles } from "../../code/files/hotfiles.js";
import { counted } from "../../base/format.js";
import { success } from "./results.js";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;

const inputSchema = Type.Object(
    {
        limit: Type.Optional(
            Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })
        ),
    },
    { additionalProperties: false }
);

export type HotfilesInput = Type.Static<typeof inputSchema>;

export const hotfiles: PlainTool<HotfilesInput, Hotfiles> = {
    name: "hotfiles",
    description: "The files that change most in git, or without git the largest source files.",
    approval: "none",
    readOnly: true,
    kind: "search",
    inputSchema,
    intent: () => "Finding important files",
    summary: (data) => counted(data.files.length, "file"),
    async execute(input, { workspace, signal }) {
        return success(await findHotfiles(workspace, input.limit ?? DEFAULT_LIMIT, signal));
    },
};
