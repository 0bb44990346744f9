import { writeFile } from "node:fs/promises";
import { NorthError } from "../../base/north-error.js";
import { commandText, typedText } from "../../core/conversation/command-text.js";
import type { StoredContents } from "../../base/stored-contents.js";
import { withEndedCalls } from "../../core/conversation/ended-calls.js";
import { settledTexts } from "../../core/conversation/undo.js";
import type { AssistantEntry, Entry, ReviewEntry } from "../../plugin/records.js";
import type { NorthDirectories } from "../../storage/files/directories.js";
import { createObjectStore } from "../../storage/files/object-store.js";
import {
    evidenceAfter,
    type ExportedConversation,
    exportedWithSettings,
    storedConversation,
} from "./exported-conversation.js";
import { formatCosts, localMinute, oneLine } from "../../base/format.js";

export const EXPORT_FORMATS = ["md", "json", "html", "atif"] as const;
/** `atif` has no extension of its own. */
type ExportFormat = Exclude<(typeof EXPORT_FORMATS)[number], "atif">;

/** `contents` has the file contents for the diffs of a page. */
export async function exportText(
    exported: ExportedConversation,
    format: ExportFormat,
    contents: StoredContents
): Promise<string> {
    switch (format) {
        case "json":
            return `${JSON.stringify(exported, null, 2)}\n`;
        case "md":
            return markdown(exported);
        case "html": {
            const { exportPage } = await import("./export-page.js");
            return exportPage(exported, contents);
        }
        default:
            return format satisfies never;
    }
}

/** Exports a conversation without opening it. Rejects with `no-such-conversation`. */
export async function storedExport(
    { data, config }: NorthDirectories,
    id: string,
    format: (typeof EXPORT_FORMATS)[number],
    version: string
) {
    const { conversation, warnings } = await storedConversation(data, id);
    const exported = await exportedWithSettings(conversation, config);
    if (format === "atif") {
        const { exportTrajectory } = await import("./export-trajectory.js");
        return { text: exportTrajectory(exported, version), warnings };
    }
    return { text: await exportText(exported, format, createObjectStore(data)), warnings };
}

/** The format for a file's extension; Markdown by default. */
export function formatOfFile(file: string): ExportFormat {
    const name = file.toLowerCase();
    if (name.endsWith(".json")) return "json";
    return /\.html?$/.test(name) ? "html" : "md";
}

/** Rejects with `file-exists` unless `replace` is set, or with `not-writable`. */
export async function writeExport(
    file: string,
    text: string,
    { replace }: { readonly replace: boolean }
): Promise<void> {
    try {
        await writeFile(file, text, { flag: replace ? "w" : "wx" });
    } catch (error) {
        const code = error instanceof Error && "code" in error ? error.code : undefined;
        if (code === "EEXIST") {
            throw new NorthError("file-exists", `${file} already exists.`, [
                "Choose another name; `north conversations export --force` replaces it.",
            ]);
        }
        throw new NorthError(
            "not-writable",
            `${file} could not be written (${String(code)}).`,
            ["Choose an existing folder that you can write to."],
            { cause: error }
        );
    }
}

function markdown(exported: ExportedConversation): string {
    const { id, root, startedAt, costUsd, unpricedRequests, entries } = exported;
    const head = [
        `# Conversation ${id}`,
        `- Project: ${root}`,
        `- Started: ${localMinute(startedAt)}`,
        `- Cost: ${formatCosts(costUsd, unpricedRequests)}`,
    ];
    const settled = settledTexts(entries);
    const sections = withEndedCalls(entries).flatMap((entry) => {
        const evidence = evidenceAfter(exported, entry);
        return [sectionOf(entry, settled), evidence ? `*${evidence}*` : []].flat();
    });
    return `${[head.join("\n"), ...sections].join("\n\n")}\n`;
}

function deniedLine({ what, reason }: ReviewEntry): string {
    return `- Denied: ${oneLine(what)}${reason === undefined ? "" : ` (${oneLine(reason)})`}`;
}

function sectionOf(entry: Entry, settled: ReadonlyMap<string, string>): string | readonly string[] {
    switch (entry.kind) {
        case "user":
            return ["## You", entry.text];
        case "assistant":
            return replySection(entry);
        case "tool_result":
            return `- ${entry.intent}${entry.ok ? (entry.summary === undefined ? "" : `: ${entry.summary}`) : " (failed)"}`;
        case "review":
            return entry.status === "denied" ? deniedLine(entry) : [];
        case "change":
        case "drafted":
            return settled.has(entry.id) ? `- ${settled.get(entry.id)}` : [];
        case "host_note":
            return [];
        case "command":
            return `- ${typedText(entry) === undefined ? "" : "Command: "}${oneLine(commandText(entry))}`;
        default:
            return entry satisfies never;
    }
}

function replySection({ content, model, status }: AssistantEntry): readonly string[] {
    const texts = content.flatMap((part) => (part.type === "text" ? part.text.trim() : []));
    const said = texts.filter((text) => text !== "");
    if (status !== "complete") said.push(`*(${status === "cancelled" ? status : "interrupted"})*`);
    return said.length === 0 ? [] : [`## North (${model})`, ...said];
}
