import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Entry, ToolResultEntry, AssistantEntry } from "../../plugin/index.js";

/** Entries never change once they are complete. */
const written = new WeakMap<Entry, string>();

/**
 * Writes a conversation as Claude Code keeps it, one message a line, for hooks that read it:
 * https://code.claude.com/docs/en/hooks. Only the user can read it; remove it after the hook.
 */
export async function writeTranscript(entries: readonly Entry[], cwd: string) {
    const folder = await mkdtemp(path.join(tmpdir(), "north-hook-"));
    const file = path.join(folder, "transcript.jsonl");
    const lines = entries.flatMap((entry) => {
        const line = written.get(entry) ?? lineOf(entry, cwd);
        if (line !== undefined) written.set(entry, line);
        return line ?? [];
    });
    await writeFile(file, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
    return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}

function lineOf(entry: Entry, cwd: string): string | undefined {
    const message = messageOf(entry);
    if (message === undefined) return undefined;
    const timestamp = new Date(entry.at).toISOString();
    return JSON.stringify({ type: message.role, message, uuid: entry.id, timestamp, cwd });
}

function messageOf(entry: Entry) {
    switch (entry.kind) {
        case "user":
            return { role: "user", content: entry.text };
        case "assistant":
            return assistantMessage(entry);
        case "tool_result":
            return resultMessage(entry);
        default:
            return undefined;
    }
}

function assistantMessage({ model, content, status }: AssistantEntry) {
    if (status === "streaming") return undefined;
    const parts = content.flatMap((part): object[] => {
        if (part.type === "text") return [{ type: "text", text: part.text }];
        if (part.type !== "tool-call") return [];
        return [{ type: "tool_use", id: part.callId, name: part.name, input: part.input }];
    });
    return { role: "assistant", model, content: parts };
}

function resultMessage({ callId, content, text = content, ok }: ToolResultEntry) {
    const part = { type: "tool_result", tool_use_id: callId, content: text, is_error: !ok };
    return { role: "user", content: [part] };
}
