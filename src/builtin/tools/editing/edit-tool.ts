import { formatLineCounts } from "../../../base/format.js";
import * as Type from "typebox";
import type { Proposal, ToolFailure, WriteData, WriteTool } from "../../../plugin/index.js";
import { findingLine } from "../../../plugin/change-set.js";
import { editOf } from "../equivalents.js";
import { type InputOf, strictObject } from "../read-only-tool.js";
import { failure } from "../results.js";
import { type ByteText, toBytes, toTextBytes } from "./byte-text.js";
import { Draft } from "./draft.js";

// Shared by several edit tools: one wording, few tokens.

export const path = Type.String();
export const content = Type.String({ description: "Whole lines" });

/** In bytes; for whole files and large batches. */
export const LARGE_INPUT = 1024 * 1024;

/** An edit tool: a write tool that can also be one edit in a batch. */
export interface EditTool<Input = unknown> extends WriteTool<Input> {
    /** Edits the draft; leaves it unchanged on failure. */
    edit(input: Input, draft: Draft): Promise<ToolFailure | undefined>;
}

type EditInput<Fields extends Type.TProperties> = InputOf<Fields> & { readonly path: string };

interface EditDefinition<Fields extends Type.TProperties>
    extends
        Pick<EditTool<EditInput<Fields>>, "name" | "description" | "maxInputBytes" | "isEssential">,
        Pick<EditTool<EditInput<Fields>>, "equivalents" | "edit">,
        Partial<Pick<EditTool<EditInput<Fields>>, "intent">> {
    /** The fields of the input; no others are accepted. */
    readonly input: Fields & { readonly path: Type.TString };
}

export function defineEditTool<Fields extends Type.TProperties>({
    input,
    ...definition
}: EditDefinition<Fields>): EditTool<EditInput<Fields>> {
    return {
        intent: ({ path }) => `Editing ${path}`,
        equivalents: editOf,
        ...definition,
        inputSchema: strictObject(input),
        approval: "write",
        readOnly: false,
        summary: summarize,
        render: renderWritten,
        async propose(input, context) {
            const draft = new Draft(context);
            const failed = await definition.edit(input, draft);
            return failed ?? proposalOf(draft);
        },
    };
}

export interface EditableText {
    readonly path: string;
    readonly body: ByteText;
    /** Someone else changed the file since the model last read or edited it. */
    readonly isChangedSinceRead: boolean;
}

export type TextEdit = { readonly ok: true; readonly body: ByteText } | ToolFailure;

export function edited(body: ByteText): TextEdit {
    return { ok: true, body };
}

/** Edits the text of an existing file and preserves everything else. */
export async function editText(
    draft: Draft,
    path: string,
    edit: (text: EditableText) => TextEdit
): Promise<ToolFailure | undefined> {
    const file = await draft.read(path);
    const text = toTextBytes(file.bytes);
    if (text === undefined) return binaryFile(file.path);

    const result = edit({ ...file, body: text.body });
    if (!result.ok) return result;

    if (result.body === text.body) return noChange(file.path);

    draft.write(file.path, toBytes({ ...text, body: result.body }));
    return undefined;
}

export function binaryFile(path: string): ToolFailure {
    return failure(
        "binary-file",
        `${path} cannot be edited as text (binary or UTF-16).`,
        "Leave it alone, or change it with a command if the user wants that."
    );
}

export function noChange(path: string): ToolFailure {
    return failure(
        "no-change",
        `The edit would not change ${path}.`,
        "Check whether the change was already made."
    );
}

export function proposalOf(draft: Draft): Proposal {
    return { ok: true, changeSet: draft.changeSet() };
}

const TITLES = {
    all: "Applied",
    some: "Applied in part, only the hunks below",
    drafted: "Drafted",
} as const;

/** Renders `Applied: app.ts +3 -1`, hunks the user left out, findings of checks, and notes. */
export function renderWritten(data: WriteData): string {
    const { applied, files, hunks = [], findings = [], notes = [] } = data;
    const changed = files.map(
        ({ path, linesAdded, linesRemoved }) => `${path} +${linesAdded} -${linesRemoved}`
    );
    return [
        `${TITLES[applied]}: ${changed.join(", ")}`,
        ...hunks,
        ...findings.map(findingLine),
        ...notes,
    ].join("\n");
}

/** Renders `+3 -1`. */
export function summarize(data: WriteData): string {
    return `${formatLineCounts(data.files)}${data.applied === "some" ? ", in part" : ""}`;
}
