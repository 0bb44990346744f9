import * as Type from "typebox";
import type { JsonObject, ToolContext, ToolFailure, WriteTool } from "../../plugin/index.js";
import { isExpectedError } from "../../base/north-error.js";
import {
    editAfterAnchor,
    editBeforeAnchor,
    editByAnchor,
    editReplaceBlock,
} from "./edit-by-anchor.js";
import { editCreateFile } from "./edit-create-file.js";
import { editInsertAtLine } from "./edit-insert-at-line.js";
import { editReplaceExact } from "./edit-replace-exact.js";
import { Draft } from "./editing/draft.js";
import {
    type EditTool,
    LARGE_INPUT,
    proposalOf,
    renderWritten,
    summarize,
} from "./editing/edit-tool.js";
import { strictObject } from "./read-only-tool.js";
import { failure } from "./results.js";

const editTools: readonly EditTool[] = [
    editReplaceExact,
    editInsertAtLine,
    editCreateFile,
    editAfterAnchor,
    editBeforeAnchor,
    editReplaceBlock,
    editByAnchor,
];

const edit = strictObject({
    toolName: Type.String({ description: "Any other edit tool" }),
    args: Type.Unsafe<JsonObject>(Type.Object({}, { description: "Its input" })),
});
const inputSchema = strictObject({ edits: Type.Array(edit, { minItems: 1 }) });

type Edit = Type.Static<typeof edit>;

export const editApplyBatch: WriteTool<Type.Static<typeof inputSchema>> = {
    name: "edit_apply_batch",
    description:
        "Several edits as one: in order, each seeing those before it, reviewed once, all or nothing.",
    inputSchema,
    maxInputBytes: LARGE_INPUT,
    approval: "write",
    readOnly: false,
    intent: ({ edits }) => `Editing ${placeNames(edits)}`,
    equivalents: ({ edits }) =>
        edits.flatMap(({ toolName, args }) => {
            const tool = editTools.find(({ name }) => name === toolName.toLowerCase());
            const calls = tool?.equivalents?.(args) ?? [{ tool: "Edit", input: {} }];
            return calls.map((call) => ({ ...call, input: { ...args, ...call.input } }));
        }),
    summary: summarize,
    render: renderWritten,
    async propose({ edits }, context) {
        const draft = new Draft(context);
        const notes: string[] = [];
        let unchanged: ToolFailure | undefined;
        for (const [index, edit] of edits.entries()) {
            context.signal.throwIfAborted();
            const failed = await applyEdit(edit, draft, context);
            if (failed?.error.code === "no-change") {
                unchanged ??= atIndex(index, edit.toolName, failed);
                notes.push(`edits[${index}] changed nothing: the file already had this content.`);
            } else if (failed !== undefined) {
                const isLate = await fitsOriginal(edit, context);
                return atIndex(index, edit.toolName, isLate ? withHint(failed) : failed);
            }
        }
        const proposal = proposalOf(draft);
        return proposal.ok && proposal.changeSet.changes.length === 0
            ? (unchanged ?? failure("no-change", "Together, the edits would change nothing."))
            : { ...proposal, ...(notes.length > 0 ? { notes } : {}) };
    },
};

async function applyEdit(
    { toolName, args }: Edit,
    draft: Draft,
    context: ToolContext
): Promise<ToolFailure | undefined> {
    const tool = editTools.find(({ name }) => name === toolName.toLowerCase());
    if (tool === undefined) {
        const names = editTools.map(({ name }) => name).join(", ");
        return toolName === editApplyBatch.name
            ? failure("invalid-input", "toolName: a batch cannot contain a batch.", `Use ${names}.`)
            : failure("invalid-input", `toolName: no such edit tool.`, `Use ${names}.`);
    }
    const checked = await context.checkInput(tool.inputSchema, args);
    if (!checked.ok) return checked;

    try {
        return await tool.edit(checked.input, draft);
    } catch (error) {
        if (!isExpectedError(error)) throw error;

        return failure(error.code, error.message, error.nextSteps.join(" ") || undefined);
    }
}

/** Whether a failed edit would have applied to the original file. */
async function fitsOriginal(edit: Edit, context: ToolContext): Promise<boolean> {
    return (await applyEdit(edit, new Draft(context), context)) === undefined;
}

function withHint({ error }: ToolFailure): ToolFailure {
    const hint =
        "It matches the file as it was before this batch. Each edit sees the ones before it: write it against their result.";
    return { ok: false, error: { ...error, hint } };
}

function atIndex(index: number, toolName: string, { error }: ToolFailure): ToolFailure {
    const message = `edits[${index}] (${toolName}): ${error.message} No edit was made.`;
    return { ok: false, error: { ...error, message } };
}

function placeNames(edits: readonly Edit[]): string {
    const paths = edits.map(({ args }) => ("path" in args ? String(args.path) : "?"));
    const [first, ...others] = new Set(paths);
    return others.length === 0 ? String(first) : `${others.length + 1} files`;
}
