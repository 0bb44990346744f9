import * as Type from "typebox";
import type { ToolFailure } from "../../plugin/index.js";
import { encoded, toBytes, toTextBytes } from "./editing/byte-text.js";
import type { Draft, DraftFile } from "./editing/draft.js";
import { binaryFile, defineEditTool, LARGE_INPUT, noChange, path } from "./editing/edit-tool.js";
import { changedSinceRead } from "./editing/find-anchor.js";
import { endingAt, withEnding } from "./editing/lines.js";
import { failure } from "./results.js";

export const editCreateFile = defineEditTool({
    name: "edit_create_file",
    isEssential: true,
    description: "Create a file with its folders, or overwrite a whole file.",
    maxInputBytes: LARGE_INPUT,
    input: {
        path,
        content: Type.String(),
        overwrite: Type.Optional(Type.Boolean({ default: false })),
    },
    equivalents: ({ path, content }) => [{ tool: "Write", input: { file_path: path, content } }],
    intent: ({ path, overwrite }) => `${overwrite ? "Writing" : "Creating"} ${path}`,
    async edit(input, draft) {
        const existing = await draft.find(input.path);
        if (existing !== undefined) return overwrite(existing, input, draft);

        draft.write(input.path, Buffer.from(input.content, "utf8"));
        return undefined;
    },
});

function overwrite(
    file: DraftFile,
    input: { readonly content: string; readonly overwrite?: boolean },
    draft: Draft
): ToolFailure | undefined {
    if (input.overwrite !== true) {
        return failure(
            "already-exists",
            `${file.path} already exists.`,
            "Edit it, or set `overwrite` to replace all of it."
        );
    }
    const text = toTextBytes(file.bytes);
    if (text === undefined) return binaryFile(file.path);

    if (file.isChangedSinceRead) {
        return changedSinceRead(file, "overwriting would undo that change");
    }

    // Keep the file's byte order mark and line endings; replace only its text.
    const body = withEnding(encoded(input.content), endingAt(text.body, 0));
    const bytes = toBytes({ bom: text.bom, body });
    if (Buffer.from(file.bytes).equals(bytes)) return noChange(file.path);

    draft.write(file.path, bytes);
    return undefined;
}
