import { writeFile } from "node:fs/promises";
import { NorthError } from "../../base/north-error.js";
import type { Conversation } from "../../core/conversation/fold.js";
import type { AssistantEntry, Entry } from "../../plugin/records.js";
import { formatUsd, localMinute } from "../../base/format.js";

export type ExportFormat = "md" | "json";

/** A conversation as it is exported to JSON. */
export interface ExportedConversation {
    readonly version: 1;
    readonly id: string;
    readonly root: string;
    readonly provider: string;
    readonly model: string;
    /** Milliseconds since 1970. */
    readonly startedAt: number;
    /** US dollars; replies of unknown price are not in it. */
    readonly costUsd: number;
    readonly entries: readonly Entry[];
}

export function exportedConversation(conversation: Conversation): ExportedConversation {
    const { id, root, provider, model, startedAt, entries } = conversation;
    const costs = entries.map((entry) => (entry.kind === "assistant" ? (entry.costUsd ?? 0) : 0));
    const costUsd = costs.reduce((sum, cost) => sum + cost, 0);
    return { version: 1, id, root, provider, model, startedAt, costUsd, entries: [...entries] };
}

export function exportText(exported: ExportedConversation, format: ExportFormat): string {
    return format === "json" ? `${JSON.stringify(exported, null, 2)}\n` : markdown(exported);
}

/** Rejects with `file-exists` unless told to replace, and with `not-writable`. */
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
            throw new NorthError("file-exists", `${file} exists already.`, [
                "Choose another name; `north conversations export --force` replaces it.",
            ]);
        }
        throw new NorthError(
            "not-writable",
            `${file} could not be written (${String(code)}).`,
            ["Choose a folder that exists and that you may write to."],
            { cause: error }
        );
    }
}

function markdown(exported: ExportedConversation): string {
    const { id, root, startedAt, costUsd, entries } = exported;
    const head = [
        `# Conversation ${id}`,
        `- Project: ${root}`,
        `- Begun: ${localMinute(startedAt)}`,
        `- Cost: ${formatUsd(costUsd)}`,
    ];
    return `${[head.join("\n"), ...entries.flatMap(sectionOf)].join("\n\n")}\n`;
}

function sectionOf(entry: Entry): string | readonly string[] {
    switch (entry.kind) {
        case "user":
            return ["## You", entry.text];
        case "assistant":
            return replySection(entry);
        case "tool_result":
            return `- ${entry.intent}${entry.ok ? noteOf(entry.summary) : " (failed)"}`;
        case "review":
            return entry.status === "denied" ? `- Denied: ${oneLine(entry.what)}` : [];
        case "change":
            if (!entry.undoes) return [];
            return `- Took back: ${entry.files.map(({ path }) => path).join(", ")}`;
        case "host_note":
            return [];
        case "command":
            return `- Command: /${entry.name} ${oneLine(entry.argumentsText)}`.trimEnd();
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

function noteOf(summary: string | undefined): string {
    return summary === undefined ? "" : `: ${summary}`;
}

function oneLine(text: string): string {
    return text.replace(/\s+/g, " ");
}
