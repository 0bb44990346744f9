import type { EquivalentCall } from "../../plugin/index.js";

/** For tools that show parts of one file. */
export function readOf({ path }: { readonly path: string }): readonly EquivalentCall[] {
    return [{ tool: "Read", input: { file_path: path } }];
}

/** For an edit at an anchor or a line. */
export function editOf({
    path,
    content,
    anchor,
    blockStart,
}: {
    readonly path: string;
    readonly content?: unknown;
    readonly anchor?: unknown;
    readonly blockStart?: unknown;
}): readonly EquivalentCall[] {
    const text = (value: unknown): string => (typeof value === "string" ? value : "");
    const old = text(anchor) || text(blockStart);
    const input = { file_path: path, old_string: old, new_string: text(content) };
    return [{ tool: "Edit", input }];
}
