import type { JournalRecord } from "north-cli/plugin";

const MAX_CHARACTERS = 20_000;

/** Texts of a record, in the format of the conventions. */
interface Contents {
    readonly input?: string;
    readonly output?: string;
    readonly calls?: readonly { readonly callId: string; readonly input: string }[];
    readonly result?: { readonly callId: string; readonly text: string };
}

export function contentsOf(record: JournalRecord): Contents {
    if (record.type === "entry_added") {
        const { entry } = record;
        if (entry.kind === "user") return { input: message("user", entry.text) };
        if (entry.kind !== "tool_result") return {};
        const text = cut(entry.text ?? entry.content);
        return { result: { callId: entry.callId, text } };
    }
    if (record.type !== "entry_updated" || !record.changes?.content) return {};
    const { content } = record.changes;
    const said = content.flatMap((part) => (part.type === "text" ? part.text : [])).join("");
    const calls = content.flatMap((part) =>
        part.type === "tool-call"
            ? { callId: part.callId, input: cut(JSON.stringify(part.input)) }
            : []
    );
    return { ...(said !== "" && { output: message("assistant", said) }), calls };
}

function message(role: string, text: string): string {
    return JSON.stringify([{ role, parts: [{ type: "text", content: cut(text) }] }]);
}

function cut(text: string): string {
    return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
