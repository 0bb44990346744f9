import { createHash } from "node:crypto";
import type {
    Message,
    ModelEvent,
    ModelRequest,
    ToolCallPart,
    Usage,
    UserMessage,
} from "../../../plugin/index.js";
import { answerTo, helpText, notAvailable, notUnderstood } from "./answer.js";
import type { Input } from "./grammar.js";
import { parse, type Wish } from "./parse.js";

/** What the offline model answers: text, and the calls that carry the message out. */
interface Reply {
    readonly text: string;
    readonly calls: readonly Omit<ToolCallPart, "type">[];
}

/** The same request always has the same reply. */
export function* replyTo(request: ModelRequest): Generator<ModelEvent, void> {
    const { text, calls } = compose(request);
    for (const piece of piecesOf(text)) yield { type: "text", text: piece };
    for (const call of calls) {
        yield { type: "tool-call-start", callId: call.callId, name: call.name };
        yield { type: "tool-call", ...call };
    }
    yield { type: "usage", usage: usageOf(request, text, calls) };
    yield { type: "stop", reason: calls.length > 0 ? "tool-calls" : "end" };
}

function compose(request: ModelRequest): Reply {
    const last = request.messages.at(-1);
    if (last === undefined) return { text: helpText(), calls: [] };
    switch (last.role) {
        case "tool":
            return { text: answerTo(last, inputsIn(request.messages)), calls: [] };
        case "user":
            return carryOut(last, request);
        case "assistant":
            return { text: helpText(), calls: [] };
    }
}

/** The inputs of the calls that are being answered, by call. */
function inputsIn(messages: readonly Message[]): Map<string, Input> {
    const asking = messages.findLast((message) => message.role === "assistant");
    const parts = asking?.content ?? [];
    return new Map(
        parts.flatMap((part) => (part.type === "tool-call" ? [[part.callId, part.input]] : []))
    );
}

function carryOut(message: UserMessage, request: ModelRequest): Reply {
    const wishes = parse(typed(message));
    const available = new Set(request.tools.map(({ name }) => name));
    const inputs = wishes.flatMap((wish) =>
        wish.kind === "call" && available.has(wish.command.tool)
            ? [{ name: wish.command.tool, input: wish.input }]
            : []
    );
    const calls = inputs.map((call, index) => ({ callId: callIdOf(request, index), ...call }));
    return { text: remarks(wishes, available), calls };
}

/** What the user typed is the last text; what comes before it travels with it. */
function typed(message: UserMessage): string {
    return message.content.findLast((part) => part.type === "text")?.text ?? "";
}

/** What has to be said beside the calls: nothing, where everything is understood and possible. */
function remarks(wishes: readonly Wish[], available: ReadonlySet<string>): string {
    const lines = wishes.flatMap((wish): string[] => {
        if (wish.kind === "unknown") return [notUnderstood(wish.line)];
        if (wish.kind === "help" || available.has(wish.command.tool)) return [];
        return [notAvailable(wish.command.form)];
    });
    const needsHelp = wishes.length === 0 || wishes.some(({ kind }) => kind !== "call");
    return [...lines, ...(needsHelp ? [helpText()] : [])].join("\n\n");
}

/** Unlike any other of the conversation, and the same when the request is repeated. */
function callIdOf(request: ModelRequest, index: number): string {
    const recent = JSON.stringify([request.conversationId, request.messages.slice(-3)]);
    const hash = createHash("sha256").update(recent).digest("hex").slice(0, 12);
    return `offline_${request.messages.length}_${hash}_${index}`;
}

/** A few lines at a time, as a model would send them. */
function piecesOf(text: string): string[] {
    return text.match(/(?:[^\n]*\n){1,4}|[^\n]+$/g) ?? [];
}

const promptLengths = new WeakMap<Message, number>();

/** Four characters are a token: enough for the display of a context that costs nothing. */
function usageOf(request: ModelRequest, text: string, calls: Reply["calls"]): Usage {
    const prompt = request.messages.reduce((sum, message) => sum + lengthOf(message), 0);
    const output = text.length + JSON.stringify(calls).length;
    return {
        inputTokens: Math.ceil((request.system.length + prompt) / 4),
        outputTokens: Math.ceil(output / 4),
    };
}

function lengthOf(message: Message): number {
    const known = promptLengths.get(message) ?? JSON.stringify(message.content).length;
    promptLengths.set(message, known);
    return known;
}
