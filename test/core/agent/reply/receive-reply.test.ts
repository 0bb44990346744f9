import { expect } from "chai";
import { receiveReply } from "../../../../src/core/agent/reply/receive-reply.js";
import type { ModelConnection, ModelEvent, ModelRequest } from "../../../../src/plugin/index.js";
import { says, ScriptedModel } from "../../../helpers/scripted-model.js";
import { drain, turnHarness } from "../../../helpers/turn.js";

const BRIEF = 5;
const never = new Promise<never>(() => undefined);

/** A reply that falls silent after these events, whatever becomes of its signal. */
async function* hangsAfter(events: readonly ModelEvent[]): AsyncGenerator<ModelEvent> {
    yield* events;
    await never;
}

describe("A faulty provider", () => {
    for (const [what, event] of [
        ["no object", "text"],
        ["an array", []],
        ["a type that there is not", { type: "weather" }],
        ["a name of every object's", { type: "constructor" }],
        ["text that is none", { type: "text", text: null }],
        ["a call without an id", { type: "tool-call", callId: "", name: "a", input: {} }],
        ["a call with a list", { type: "tool-call", callId: "1", name: "a", input: [] }],
        ["an amount below nothing", { type: "usage", usage: { outputTokens: -1 } }],
        ["an amount that is none", { type: "usage", usage: { outputTokens: NaN } }],
        ["a reason that there is not", { type: "stop", reason: "toString" }],
    ] as const) {
        it(`A provider that streams ${what} gets North's own error and no second request`, async () => {
            const connection = {
                async *stream() {
                    yield event as unknown as ModelEvent;
                },
            };
            const { turn, delays } = turnHarness(new ScriptedModel([]), [], { connection });
            const { outcome } = await drain(turn);
            expect(outcome.error).to.include({ code: "provider-failed" });
            expect(delays).to.deep.equal([]);
        });
    }
});

describe("A reply that falls silent", () => {
    const half: ModelEvent = { type: "text", text: "So far" };

    /** The first reply may be silent only briefly, those after it as long as others. */
    function turnOf(model: ScriptedModel) {
        const provider = model.provider;
        return turnHarness(model, [], {
            provider: {
                ...provider,
                get silenceMs() {
                    return model.requests.length === 0 ? BRIEF : 60_000;
                },
            },
        });
    }

    it("A silent reply is aborted and requested again", async () => {
        let aborted: AbortSignal | undefined;
        const model = new ScriptedModel([
            (_request, signal) => {
                aborted = signal;
                return hangsAfter([half]);
            },
            says("Whole."),
        ]);
        const { turn, delays } = turnOf(model);
        const { events, outcome } = await drain(turn);
        expect(outcome).to.include({ text: "Whole.", stopReason: "end" });
        expect(delays).to.have.length(1);
        const retry = events.find((event) => event.type === "retry-scheduled");
        expect(retry?.type === "retry-scheduled" && retry.reason)
            .to.contain("No response from Scripted")
            .and.to.contain("discarded");
        expect(aborted?.reason).to.deep.include({ code: "timeout" });
        expect(turn.signal.aborted).to.equal(false);
        model.assertDone();
    });

    it("A reply that never starts is aborted and requested again", async () => {
        const { provider } = new ScriptedModel([]);
        const { turn } = turnHarness(new ScriptedModel([]), [], {
            provider: { ...provider, silenceMs: BRIEF },
            connection: { stream: () => hangsAfter([]) },
        });
        const reply = receiveReply(turn, {} as ModelRequest, BRIEF);
        const error = await reply.next().catch((failure: unknown) => failure);
        expect(error).to.deep.include({ code: "timeout", retryable: true });
    });

    it("The provider is told to stop when the consumer stops reading", async () => {
        let isEnded = false;
        const connection: ModelConnection = {
            async *stream() {
                try {
                    for (;;) yield { type: "text", text: "more" };
                } finally {
                    isEnded = true;
                }
            },
        };
        const { turn } = turnHarness(new ScriptedModel([]), [], { connection });
        for await (const event of receiveReply(turn, {} as ModelRequest)) {
            expect(event.type).to.equal("text");
            break;
        }
        await new Promise((resolve) => setImmediate(resolve));
        expect(isEnded).to.equal(true);
    });

    it("A cancelled turn leaves no timer behind, even if the provider ignores the signal", async () => {
        const timers = () =>
            process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
        // Mocha starts the timer of a test after its first synchronous steps.
        await new Promise((resolve) => setImmediate(resolve));
        const before = timers();
        for (const events of [[], [half]]) {
            const controller = new AbortController();
            const { turn } = turnHarness(new ScriptedModel([]), [], {
                connection: { stream: () => hangsAfter(events) },
                signal: controller.signal,
            });
            setImmediate(() => controller.abort());
            const { outcome } = await drain(turn);
            expect(outcome.stopReason).to.equal("cancelled");
        }
        await new Promise((resolve) => setImmediate(resolve));
        expect(timers()).to.be.at.most(before);
    });
});
