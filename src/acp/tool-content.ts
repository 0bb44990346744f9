import { isUtf8 } from "node:buffer";
import path from "node:path";
import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { isExpectedError } from "../base/north-error.js";
import { isFields } from "../base/fields.js";
import { counted, firstRows } from "../base/format.js";
import { isInside } from "../base/paths.js";
import { isBinary } from "../base/binary.js";
import { showControls } from "../base/safe-text.js";
import { shownName } from "../plugin/change-set.js";
import type { ContainedOutputs } from "../core/approval/contained-runs.js";
import type { FileDiff } from "../core/diff/diff.js";
import { fenced } from "../core/files/fence.js";
import type { ContentStore } from "../core/conversation/content-store.js";
import type { ChangedFile, ChangeSet, FileChange, Tool } from "../plugin/index.js";

// https://agentclientprotocol.com/protocol/v1/tool-calls

/** Larger files are named, without a diff. */
const MAX_DIFF_BYTES = 2 * 1024 * 1024;
/** Max files ignored by git whose contents are shown. */
const MAX_IGNORED = 50;
/** Max lines with invisible characters listed; the rest are counted. */
const MAX_HIDDEN_LINES = 20;

export function kindOf(tool: Pick<Tool, "approval" | "kind"> | undefined): ToolKind {
    if (tool?.kind) return tool.kind;
    if (tool?.approval === "write") return "edit";
    return tool?.approval === "shell" ? "execute" : "other";
}

export function textContent(text: string): ToolCallContent {
    return { type: "content", content: { type: "text", text } };
}

/** Untrusted output, with control characters made visible. */
export function outputContent(text: string): ToolCallContent {
    return textContent(fenced(showControls(text)));
}

/** The files that a call names or has touched. A path in the input comes first. */
export function locationsOf(
    root: string,
    input: unknown,
    touched: readonly string[] = []
): ToolCallLocation[] {
    const named = isFields(input) ? (input.path ?? input.file) : undefined;
    const range = isFields(input) && isFields(input.range) ? input.range.start : undefined;
    const line = isFields(input) ? (input.line ?? range) : undefined;
    const given = typeof named === "string" ? path.resolve(root, named) : undefined;
    const paths = new Set([
        ...(given !== undefined && isInside(root, given) ? [given] : []),
        ...touched.map((file) => path.join(root, file)),
    ]);
    return [...paths].map((location) =>
        location === given && typeof line === "number" && Number.isInteger(line) && line > 0
            ? { path: location, line }
            : { path: location }
    );
}

export function proposalContent(
    root: string,
    { changes }: ChangeSet,
    diffs: readonly FileDiff[],
    outputs: ReturnType<ContainedOutputs["look"]> = { changes: [], more: 0 }
): ToolCallContent[] {
    const changed = new Map(changes.map((change) => [change.path, change]));
    const shown = diffs.flatMap((diff) => {
        const change = changed.get(diff.path);
        const content =
            change && !change.isIgnored && !diff.isGit ? diffContent(root, change) : undefined;
        const words = [
            diff.note,
            content ? undefined : diff.diff || (diff.isGit ? undefined : diff.kind),
            diff.kind === "deleted" ? "deletes the file" : undefined,
        ].filter((word) => word !== undefined);
        const name = shownName(diff);
        const line = [name, ...(words.length > 0 ? [words.join(", ")] : [])].join(": ");
        const isSaid = line !== diff.path || !content;
        return [...(content ?? []), ...(isSaid ? [textContent(showControls(line))] : [])];
    });
    return [...shown, ...ignoredContent(root, [...changes, ...outputs.changes], outputs.more)];
}

/** An editor has no way to ask for more. */
function ignoredContent(
    root: string,
    changes: readonly FileChange[],
    unread: number
): ToolCallContent[] {
    const ignored = changes.filter(({ isIgnored, type }) => isIgnored && type === undefined);
    const shown = ignored
        .slice(0, MAX_IGNORED)
        .flatMap((change) => diffContent(root, change) ?? []);
    const more = Math.max(ignored.length - MAX_IGNORED, 0) + unread;
    return [
        ...shown,
        ...(more > 0 ? [textContent(`${counted(more, "more ignored file")}, not shown`)] : []),
    ];
}

/** Diffs of logged changes, from the content store. */
export async function changeContent(
    root: string,
    files: readonly ChangedFile[],
    contents: ContentStore
): Promise<ToolCallContent[]> {
    const stored = async (hash: string | null) => (hash ? await contents.get(hash) : null);
    const diffs = files.map(async ({ path: file, beforeHash, afterHash, ...types }) => {
        const name = [textContent(showControls(file))];
        try {
            const [before, after] = await Promise.all([stored(beforeHash), stored(afterHash)]);
            return diffContent(root, { ...types, path: file, before, after }) ?? name;
        } catch (error) {
            // The stored content may have been pruned; the file's name is enough.
            if (isExpectedError(error)) return name;
            throw error;
        }
    });
    return (await Promise.all(diffs)).flat();
}

/** `undefined` if no text or too large. */
function diffContent(
    root: string,
    change: Pick<FileChange, "path" | "type" | "typeBefore" | "before" | "after">
): ToolCallContent[] | undefined {
    const { path: file, before, after } = change;
    const size = (before?.length ?? 0) + (after?.length ?? 0);
    const isFile = change.type === undefined && change.typeBefore === undefined;
    if (!isFile || size > MAX_DIFF_BYTES) return undefined;
    // An editor would show all bytes that are not UTF-8 alike.
    const isNoText = (bytes: Uint8Array | null) => bytes && (isBinary(bytes) || !isUtf8(bytes));
    if (isNoText(before) || isNoText(after)) return undefined;
    const [oldText, newText] = [decoded(before), decoded(after) ?? ""];
    const diff = { type: "diff", path: path.join(root, file), oldText, newText } as const;
    return [diff, ...invisibleContent(file, oldText ?? "", newText)];
}

/** New lines with characters that an editor may not show. */
function invisibleContent(file: string, oldText: string, newText: string): ToolCallContent[] {
    if (showControls(newText) === newText) return [];
    const known = new Set(oldText.split("\n"));
    const hidden = newText
        .split("\n")
        .map((line, index) => ({ line: line.replace(/\r$/, ""), number: index + 1, whole: line }))
        .filter(({ line, whole }) => !known.has(whole) && showControls(line) !== line);
    if (hidden.length === 0) return [];
    const lines = hidden.map(({ line, number }) => `${number}: ${showControls(line)}`);
    const shown = firstRows(lines, MAX_HIDDEN_LINES, (more) => counted(more, "more line"));
    const title = `${showControls(file)} contains characters that do not show or look like others:`;
    return [textContent(`${title}\n\n${fenced(shown.join("\n"))}`)];
}

function decoded(bytes: Uint8Array | null): string | null {
    return bytes && new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
