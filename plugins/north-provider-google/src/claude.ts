import { prepareMessages } from "north-cli/messages-api";
import type { Protocol } from "./connect.js";

/** https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai */
export const CLAUDE: Protocol = {
    method: "streamRawPredict",
    prepare: (memory, { id }) =>
        prepareMessages(memory, {
            id,
            // The model is in the URL.
            head: () => ({ anthropic_version: "vertex-2023-10-16" }),
        }),
};
