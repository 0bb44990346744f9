import type {
    ModelConnection,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    Provider,
} from "../../src/plugin/index.js";

/** One scripted reply. An error is thrown after the events before it. */
export type ScriptedReply =
    | readonly (ModelEvent | Error)[]
    | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>);

export const scriptedModelInfo: ModelInfo = {
    id: "scripted-1",
    aliases: ["scripted"],
    displayName: "Scripted",
    contextTokens: 100_000,
    maxOutputTokens: 1_000,
    prices: { input: 1, output: 2, asOf: "2026-11-22", source: "test" },
};

/** A request as sent; the live object grows later. */
export type RecordedRequest = Pick<ModelRequest, "system" | "tools" | "messages">;

/** Plays a script and records its requests. Throws once the script has ended. */
export class ScriptedModel implements ModelConnection {
    readonly requests: RecordedRequest[] = [];

    constructor(private readonly script: ScriptedReply[]) {}

    get provider(): Provider {
        return {
            id: "scripted",
            displayName: "Scripted",
            models: [scriptedModelInfo],
            connect: async () => this,
        };
    }

    async *stream(
        request: ModelRequest,
        { signal }: { readonly signal: AbortSignal }
    ): AsyncGenerator<ModelEvent> {
        this.requests.push(
            structuredClone({
                system: request.system,
                tools: request.tools.map(({ name, description }) => ({
                    name,
                    description,
                    inputSchema: {},
                })),
                messages: request.messages,
            })
        );
        const reply = this.script.shift();
        if (!reply) throw new Error("The script of the model has ended, and it was asked again.");
        if (typeof reply === "function") {
            yield* reply(request, signal);
            return;
        }
        for (const event of reply) {
            if (event instanceof Error) throw event;
            yield event;
        }
    }

    /** Call at the end of a test. */
    assertDone(): void {
        if (this.script.length > 0) {
            throw new Error(`${this.script.length} replies were not asked for.`);
        }
    }
}

/** A reply with text that ends the turn. */
export function says(text: string): ModelEvent[] {
    return [
        { type: "text", text },
        { type: "usage", usage: { inputTokens: 10, outputTokens: 5 } },
        { type: "stop", reason: "end" },
    ];
}

/** A reply that calls tools. */
export function calls(
    ...wanted: readonly [callId: string, name: string, input: object][]
): ModelEvent[] {
    return [
        ...wanted.map(([callId, name, input]): ModelEvent => ({
            type: "tool-call",
            callId,
            name,
            input: JSON.parse(JSON.stringify(input)),
        })),
        { type: "usage", usage: { inputTokens: 10, outputTokens: 5 } },
        { type: "stop", reason: "tool-calls" },
    ];
}
