import * as Type from "typebox";
import type { PlainTool } from "../../plugin/index.js";
import { counted } from "../../base/format.js";
import { success } from "./results.js";

const MAX_ENTRIES = 500;

const inputSchema = Type.Object({}, { additionalProperties: false });

export type ListRootInput = Type.Static<typeof inputSchema>;

/** What is in the repository's root. */
export interface ListRootData {
    readonly entries: readonly { readonly name: string; readonly type: "file" | "dir" }[];
    readonly truncated: boolean;
    readonly total: number;
}

export const listRoot: PlainTool<ListRootInput, ListRootData> = {
    name: "list_root",
    description: "List the entries of the repository root.",
    approval: "none",
    readOnly: true,
    kind: "search",
    inputSchema,
    intent: () => "Listing project files",
    summary: (data) => counted(data.entries.length, "entry", data.truncated, "entries"),
    async execute(_input, { workspace }) {
        const all = await workspace.list(".");
        return success({
            entries: all.slice(0, MAX_ENTRIES).map(({ name, type }) => ({ name, type })),
            truncated: all.length > MAX_ENTRIES,
            total: all.length,
        });
    },
};
