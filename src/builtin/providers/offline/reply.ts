import { createHash } from "node:crypto";
import type { Message, ModelEvent, ModelRequest, ToolCallPart } from "../../../plugin/index.js";
import { commands, parse } from "./commands.js";
import { describe, quoted } from "./describe.js";

interface Reply {
    readonly text: string;
    readonly calls: readonly Pick<ToolCallPart, "name" | "input">[];
}

/** The same request always has the same reply. */
export function* replyTo(request: ModelRequest): Generator<ModelEvent, void> {
    const { messages, system, conversationId } = request;
    const prompt = JSON.stringify([conversationId, messages]);
    const hash = createHash("sha256").update(prompt).digest("hex").slice(0, 12);
    const { text, calls } = report(messages) ?? carryOut(messages.at(-1), request);
    // A few lines at a time, as a model would send them.
    for (const [piece] of text.matchAll(/(?:[^\n]*\n){1,4}|[^\n]+$/g)) {
        yield { type: "text", text: piece };
    }
    for (const [index, call] of calls.entries()) {
        const callId = `offline_${hash}_${index}`;
        yield { type: "tool-call-start", callId, name: call.name };
        yield { type: "tool-call", callId, ...call };
    }
    // Four characters are a token: enough for the display of a context that costs nothing.
    const inputTokens = Math.ceil((system.length + prompt.length) / 4);
    const outputTokens = Math.ceil((text.length + JSON.stringify(calls).length) / 4);
    yield { type: "usage", usage: { inputTokens, outputTokens } };
    yield { type: "stop", reason: calls.length > 0 ? "tool-calls" : "end" };
}

/** What the calls of the last reply brought. */
function report(messages: readonly Message[]): Reply | undefined {
    const [asking, results] = messages.slice(-2);
    if (asking?.role !== "assistant" || results?.role !== "tool") return undefined;
    const calls = asking.content.filter((part) => part.type === "tool-call");
    const texts = results.content.map((result) =>
        describe(result, calls.find(({ callId }) => callId === result.callId)?.input ?? {})
    );
    return { text: texts.join("\n\n"), calls: [] };
}

function carryOut(message: Message | undefined, { tools }: ModelRequest): Reply {
    const parts = message?.role === "user" ? message.content : [];
    // What comes before the last text travels with what the user typed.
    const typed = parts.findLast((part) => part.type === "text")?.text ?? "";
    const lines = typed.split("\n").map((line) => line.trim());
    const found = lines.flatMap((line) => (line === "" ? [] : [{ line, ...parse(line) }]));
    const remarks = found.flatMap(({ line, command }) => {
        if (command === undefined) {
            return /^help$/i.test(line) ? [] : [`Not understood: ${quoted(line.slice(0, 80))}.`];
        }
        if (tools.some(({ name }) => name === command.tool)) return [];
        return [`${quoted(command.form)} is not available in ask mode. Switch with /mode agent.`];
    });
    const calls = found.flatMap(({ command, input = {} }) =>
        tools.some(({ name }) => name === command?.tool)
            ? [{ name: command?.tool ?? "", input }]
            : []
    );
    const needsHelp = calls.length < found.length || found.length === 0;
    return { text: [...remarks, ...(needsHelp ? [help()] : [])].join("\n\n"), calls };
}

function help(): string {
    const width = Math.max(...commands.map(({ form }) => form.length));
    return [
        "This is North's offline mode, not a language model: it knows only the commands below.",
        "For a model, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or run `north login`.",
        "",
        ...commands.map(({ form, meaning }) => `  ${form.padEnd(width)}  ${meaning}`),
        "",
        "One command a line. Put names and texts with spaces in quotes.",
    ].join("\n");
}
