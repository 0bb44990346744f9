import { countedAtLeast } from "../../base/format.js";
import { readOnlyTool } from "./read-only-tool.js";
import { success } from "./results.js";

const MAX_ENTRIES = 500;

export const listRoot = readOnlyTool({
    name: "list_root",
    description: "List the entries of the repository root.",
    kind: "search",
    input: {},
    intent: () => "Listing project files",
    async execute(_input, { workspace }) {
        const all = await workspace.list(".");
        return success({
            entries: all.slice(0, MAX_ENTRIES).map(({ name, type }) => ({ name, type })),
            truncated: all.length > MAX_ENTRIES,
            total: all.length,
        });
    },
    summary: (data) => countedAtLeast(data.entries.length, "entry", { ...data, plural: "entries" }),
});
