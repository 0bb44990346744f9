import type {
    AssistantMessage,
    ModelEvent,
    StopReason,
    ThinkingPart,
    Tier,
    Tool,
    ToolCallPart,
    Usage,
} from "../../../plugin/index.js";
import { isTooDeep, MAX_LEVELS } from "../../../base/fields.js";
import { NorthError } from "../../../base/north-error.js";
import { mergedUsage } from "../../costs/price.js";
import type { AgentEvent } from "../events.js";
import type { Turn } from "../turn.js";
import { GrowingCalls } from "./growing-calls.js";
import { ReplyFiles } from "./reply-files.js";

type ReplyPart = AssistantMessage["content"][number];

/** Stop reasons that may cut the reply short. */
const TRUNCATING: ReadonlySet<StopReason> = new Set(["max-output", "context-overflow"]);

/** The reply received so far, even if it broke off. */
export class ReplyDraft {
    usage: Usage = {};
    /** The tier that the vendor charges, as last reported. */
    tier: Tier | undefined;
    costUsd: number | null = 0;
    /** The user has seen part of it. */
    isVisible = false;
    stopReason: StopReason | undefined;
    stopDetail: string | undefined;
    private readonly parts: ReplyPart[] = [];
    private openText: string[] = [];
    private openThinking: string[] = [];
    private characters = 0;
    private readonly growing = new GrowingCalls();
    readonly files: ReplyFiles;

    constructor(private readonly turn: Turn) {
        this.files = new ReplyFiles(turn);
    }

    get calls(): readonly ToolCallPart[] {
        return this.parts.filter((part) => part.type === "tool-call");
    }

    get text(): string {
        return this.files.text;
    }

    /** Throws `incomplete-stream` beyond what a reply may hold. Call it before an event is stored. */
    requireRoom(event: ModelEvent): void {
        // A call's input has a bound of its own, beyond which the call alone is refused.
        if (event.type !== "text" && event.type !== "thinking") return;
        this.characters += event.text.length;
        if (this.characters > MAX_CHARACTERS) throw tooLong();
    }

    *take(event: ModelEvent): Generator<AgentEvent> {
        switch (event.type) {
            case "text":
                this.isVisible = true;
                this.openText.push(event.text);
                yield* this.files.take(event.text);
                return;
            case "thinking":
                yield* this.closeText();
                this.openThinking.push(event.text);
                yield { type: "thinking-delta", text: event.text };
                return;
            case "thinking-end":
                yield* this.closeText();
                this.closeThinking(event.opaque);
                yield { type: "thinking-finished" };
                return;
            case "tool-call-start":
                yield* this.closeText();
                this.growing.start(event);
                yield { type: "tool-call-preparing", callId: event.callId, name: event.name };
                return;
            case "tool-call-delta":
                yield* this.growing.grow(event);
                return;
            case "tool-call": {
                yield* this.closeText();
                const { type: _, ...call } = event;
                this.parts.push(
                    boundedCall({ type: "tool-call", ...call }, this.turn.request.tools)
                );
                return;
            }
            case "web-search":
                yield event;
                return;
            case "usage":
                this.usage = mergedUsage(this.usage, event.usage);
                this.tier = event.tier;
                return;
            case "stop":
                yield* this.closeText();
                yield* this.files.end();
                if (TRUNCATING.has(event.reason)) this.markCutCall();
                this.stopReason = event.reason;
                this.stopDetail = event.detail;
                return;
            default:
                event satisfies never;
        }
    }

    /** Stores the held-back text of a reply that broke off, without emitting events. */
    end(): void {
        Array.from(this.files.end());
    }

    /** What is kept of the reply. It is sent again, so one beyond all bounds leaves its beginning. */
    finished(): readonly ReplyPart[] {
        if (this.characters > MAX_CHARACTERS) {
            const text = `${this.text.slice(0, MAX_STUB)}\n[The rest of a reply of more than ${MAX_TEXT} was not kept.]`;
            return [{ type: "text", text }];
        }
        const text = this.openText.join("");
        return [
            ...this.parts,
            ...(this.openThinking.length > 0 ? [this.thought()] : []),
            ...(text === "" ? [] : [{ type: "text" as const, text }]),
        ];
    }

    private *closeText(): Generator<AgentEvent> {
        if (this.openText.length === 0) return;
        this.parts.push({ type: "text", text: this.openText.join("") });
        this.openText = [];
        yield* this.files.endBlock();
    }

    /** A call cut before its first argument looks like one without arguments. */
    private markCutCall(): void {
        const last = this.parts.at(-1);
        if (last?.type !== "tool-call" || Object.keys(last.input).length > 0) return;
        this.parts.splice(-1, 1, { malformedInput: "", ...last });
    }

    private closeThinking(opaque: Extract<ModelEvent, { type: "thinking-end" }>["opaque"]): void {
        this.parts.push({ ...this.thought(), ...(opaque === undefined ? {} : { opaque }) });
        this.openThinking = [];
    }

    private thought(): ThinkingPart {
        const text = this.openThinking.join("");
        const { provider, info: model } = this.turn.model;
        return { type: "thinking", text, provider: provider.id, model: model.id };
    }
}

/** No model writes more: 128,000 tokens are about 600,000 characters. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
const MAX_TEXT = "4 MB";
const MAX_STUB = 4_000;

function tooLong(): NorthError {
    return new NorthError("incomplete-stream", `The reply exceeded ${MAX_TEXT}.`, [
        "Try again, or choose another model with /model or --model.",
    ]);
}

/** Maximum bytes of a call's arguments, unless its tool accepts more. */
const MAX_INPUT_BYTES = 50 * 1024;

/** The call as stored, without refused input, which would be resent with every request. */
function boundedCall(call: ToolCallPart, tools: ReadonlyMap<string, Tool>): ToolCallPart {
    const refusedInput = refusal(call, tools.get(call.name)?.maxInputBytes ?? MAX_INPUT_BYTES);
    return refusedInput === undefined ? call : { ...call, input: {}, refusedInput };
}

function refusal({ input }: ToolCallPart, most: number): string | undefined {
    if (isTooDeep(input)) {
        return `The input is nested more than ${MAX_LEVELS} levels deep; it was not kept.`;
    }
    const bytes = new TextEncoder().encode(JSON.stringify(input)).byteLength;
    if (bytes <= most) return undefined;
    return `The input is ${bytes} bytes; the limit is ${most}. It was not kept.`;
}
