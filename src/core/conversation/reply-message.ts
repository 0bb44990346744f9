import type { AssistantEntry, AssistantMessage } from "../../plugin/index.js";

const MARKS = { cancelled: "[Cancelled]", interrupted: "[Interrupted]" } as const;

/** A reply as sent; `undefined` if it is empty. */
export function replyMessage(entry: AssistantEntry): AssistantMessage | undefined {
    const content = entry.content.filter((part) => part.type !== "text" || part.text !== "");
    if (entry.status === "cancelled" || entry.status === "interrupted") {
        return { role: "assistant", content: marked(content, MARKS[entry.status]) };
    }

    return content.length > 0 ? { role: "assistant", content } : undefined;
}

/** Appends the mark to the text, because vendors want calls last. */
function marked(content: AssistantMessage["content"], mark: string): AssistantMessage["content"] {
    const calls = content.filter((part) => part.type === "tool-call");
    const rest = content.filter((part) => part.type !== "tool-call");
    const last = rest.at(-1);
    if (last?.type !== "text") return [...rest, { type: "text", text: mark }, ...calls];
    return [...rest.slice(0, -1), { type: "text", text: `${last.text}\n${mark}` }, ...calls];
}
