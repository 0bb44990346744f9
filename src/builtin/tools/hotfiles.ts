import * as Type from "typebox";
import { counted } from "../../base/format.js";
import { findHotfiles } from "../../code/files/hotfiles.js";
import { readOnlyTool } from "./read-only-tool.js";
import { success } from "./results.js";

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 50;

export const hotfiles = readOnlyTool({
    name: "hotfiles",
    description: "The files that change most in git, or without git the largest source files.",
    kind: "search",
    input: {
        limit: Type.Optional(
            Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })
        ),
    },
    intent: () => "Finding important files",
    async execute({ limit = DEFAULT_LIMIT }, { workspace, signal }) {
        return success(await findHotfiles(workspace, limit, signal));
    },
    summary: (data) => counted(data.files.length, "file"),
});
