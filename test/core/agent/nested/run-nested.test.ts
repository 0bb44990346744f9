import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { explore } from "../../../../src/builtin/tools/explore.js";
import { NestedRuns } from "../../../../src/core/agent/nested/run-nested.js";
import type { ConversationLog } from "../../../../src/core/conversation/conversation-log.js";
import type { Turn } from "../../../../src/core/agent/turn.js";
import { NorthError } from "../../../../src/base/north-error.js";
import { subAgentModel } from "../../../../src/core/registry/models.js";
import type { ModelEvent, ModelInfo, ModelRequest, Tool } from "../../../../src/plugin/index.js";
import { ScriptedModel, scriptedModelInfo } from "../../../helpers/scripted-model.js";
import { drain, type HarnessOptions, nestedLogs, turnHarness } from "../../../helpers/turn.js";

const PRICES = { asOf: "2026-11-22", source: "test", input: 1, output: 1 };
const USAGE: ModelEvent = { type: "usage", usage: { inputTokens: 50_000, outputTokens: 0 } };

function tool(name: string, more: Partial<Tool>): Tool {
    return {
        name,
        description: "A tool.",
        inputSchema: { type: "object" },
        approval: "none",
        readOnly: true,
        intent: () => `Using ${name}`,
        execute: async () => ({ ok: true, data: "found" }),
        ...more,
    } as Tool;
}

type Answer = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;

/** A turn that explores some questions at once; `answer` is the model in the nested runs. */
function exploring(questions: readonly string[], answer: Answer, options: HarnessOptions = {}) {
    let replies = 0;
    const logs: ConversationLog[] = [];
    const model = new ScriptedModel(
        Array.from(
            { length: 50 },
            () =>
                async function* (request: ModelRequest, signal: AbortSignal) {
                    if (request.system.includes("looking something up")) {
                        yield* answer(request, signal);
                        return;
                    }
                    replies += 1;
                    if (replies > 1) {
                        yield { type: "text", text: "Done." } as const;
                        yield { type: "stop", reason: "end" } as const;
                        return;
                    }
                    for (const [index, question] of questions.entries()) {
                        const input = { question };
                        yield {
                            type: "tool-call",
                            callId: `c${index}`,
                            name: "explore",
                            input,
                        } as const;
                    }
                    yield { type: "stop", reason: "tool-calls" } as const;
                }
        )
    );
    const tools = [
        explore as Tool,
        tool("look", {}),
        tool("write", { approval: "write", readOnly: false }),
    ];
    const runs: NestedRuns = new NestedRuns(() => harness.turn, {
        open: nestedLogs(logs),
        ledger: { record: (cost) => harness.turn.model.ledger.record(cost) },
    });
    const nested: Turn["nested"] = (...run) => runs.run(...run);
    const harness = turnHarness(model, tools, { nested, ...options });
    return { ...harness, model, logs };
}

async function* says(text: string): AsyncGenerator<ModelEvent> {
    yield { type: "text", text };
    yield USAGE;
    yield { type: "stop", reason: "end" };
}

describe("Nested runs", () => {
    it("A sub-agent reads in a conversation of its own, and only its answer comes back", async () => {
        let asked = 0;
        const { turn, model, conversation, logs } = exploring(
            ["Where is retry?"],
            async function* () {
                asked += 1;
                if (asked > 1) return yield* says("In retry.ts:12.");
                yield { type: "tool-call", callId: "n1", name: "look", input: {} };
                yield { type: "stop", reason: "tool-calls" };
            }
        );
        const { events, outcome } = await drain(turn);
        expect(outcome.text).to.equal("Done.");
        const [, nested] = model.requests;
        expect(nested?.tools.map(({ name }) => name)).to.deep.equal(["look"]);
        expect(JSON.stringify(nested?.messages))
            .to.contain("Where is retry?")
            .and.not.contain("hello");
        expect(JSON.stringify(conversation.messages))
            .to.contain("In retry.ts:12.")
            .and.not.contain("n1");
        const [{ state } = { state: conversation }] = logs;
        expect(state.nested).to.deep.equal({ by: "explore", callId: "c0" });
        expect(state.entries.map(({ kind }) => kind)).to.deep.equal([
            "user",
            "assistant",
            "tool_result",
            "assistant",
        ]);
        expect(logs.map(({ isOpen }) => isOpen)).to.deep.equal([false]);
        const notes = events.flatMap((event) =>
            event.type === "tool-call-noted" ? event.text : []
        );
        expect(notes).to.deep.equal(["0 calls · $0.00", "1 call · $0.00", "1 call · $0.05"]);
        const finished = events.find((event) => event.type === "tool-call-finished");
        expect(finished?.summary).to.equal("1 call · $0.05");
    });

    it("At most four sub-agents run at once, and the turn's total includes their cost", async () => {
        let running = 0;
        let most = 0;
        let release = () => {};
        const four = new Promise<void>((resolve) => (release = resolve));
        const { turn, costs } = exploring(["a", "b", "c", "d", "e", "f"], async function* () {
            running += 1;
            most = Math.max(most, running);
            if (running === 4) release();
            await four;
            running -= 1;
            yield* says("Found.");
        });
        const { outcome } = await drain(turn);
        expect(most).to.equal(4);
        expect(outcome.costUsd).to.be.closeTo(0.3, 1e-9);
        expect(costs.map(({ conversationId }) => conversationId)).to.deep.equal(
            Array.from({ length: 6 }, () => "abc123")
        );
    });

    it("Twelve sub-agents of one reply give no warning of leaked listeners", async () => {
        const warnings: Error[] = [];
        const note = (warning: Error) => void warnings.push(warning);
        process.on("warning", note);
        try {
            const questions = Array.from({ length: 12 }, (_, index) => `Question ${index}?`);
            const { turn } = exploring(questions, () => says("Found."));
            await drain(turn);
            // Node emits warnings in a later tick.
            await setImmediate();
        } finally {
            process.off("warning", note);
        }
        expect(warnings).to.deep.equal([]);
    });

    it("A failed sub-agent is reported as a result, and the turn continues", async () => {
        const { turn, conversation } = exploring(["a"], async function* () {
            yield { type: "text", text: "" };
            throw new Error("the vendor is gone");
        });
        expect((await drain(turn)).outcome.stopReason).to.equal("end");
        expect(JSON.stringify(conversation.messages)).to.contain("the vendor is gone");
    });

    it("A cancel ends every sub-agent", async () => {
        const controller = new AbortController();
        let begun = 0;
        let ended = 0;
        const wait = async function* (_request: ModelRequest, signal: AbortSignal) {
            yield { type: "text", text: "Looking" } as const;
            await new Promise((_resolve, reject) => {
                signal.addEventListener("abort", () => {
                    ended += 1;
                    reject(signal.reason);
                });
                begun += 1;
                if (begun === 2) controller.abort();
            });
        };
        const { turn } = exploring(["a", "b"], wait, { signal: controller.signal });
        expect((await drain(turn)).outcome.stopReason).to.equal("cancelled");
        expect(ended).to.equal(2);
    });

    it("The turn's cost limit covers all its sub-agents together", async () => {
        let asked = 0;
        const { turn } = exploring(
            ["a"],
            async function* () {
                asked += 1;
                yield { type: "tool-call", callId: `n${asked}`, name: "look", input: { asked } };
                yield USAGE;
                yield { type: "stop", reason: "tool-calls" };
            },
            { limits: { maxCostUsd: 0.12 } }
        );
        expect((await drain(turn)).outcome.stopReason).to.equal("max-cost");
        expect(asked).to.equal(3);
    });

    it("A sub-agent runs on the cheapest model that the catalogue names for it", async () => {
        const cheap = { ...scriptedModelInfo, prices: { ...PRICES, input: 0.1, output: 0.2 } };
        const models: ModelInfo[] = [
            scriptedModelInfo,
            { ...cheap, id: "cheap", forSubAgents: true },
            { ...cheap, id: "cheap-but-poor", prices: { ...PRICES, input: 0, output: 0 } },
            { ...cheap, id: "dear", prices: { ...PRICES, input: 9 }, forSubAgents: true },
            { ...cheap, id: "gone", replacedBy: "cheap", forSubAgents: true },
        ];
        const provider = { ...new ScriptedModel([]).provider, models };
        const used = async (more: HarnessOptions = {}) => {
            const asked: string[] = [];
            const answer: Answer = async function* ({ model }) {
                asked.push(model.id);
                if (model.id === "cheap" && more.mode === "ask") {
                    throw new NorthError("invalid-request", "There is no such model.");
                }
                yield* says("Found.");
            };
            const { turn } = exploring(["a"], answer, { provider, ...more });
            expect((await drain(turn)).outcome.stopReason).to.equal("end");
            return asked;
        };
        expect(await used()).to.deep.equal(["cheap"]);
        expect(await used({ nestedModel: "dear" })).to.deep.equal(["dear"]);
        expect(await used({ mode: "ask" })).to.deep.equal(["cheap", "scripted-1"]);
        expect(subAgentModel(provider, models[1]!)).to.equal(undefined);
        const { prices: _, ...unpriced } = scriptedModelInfo;
        expect(subAgentModel(provider, unpriced)).to.equal(undefined);
    });
});
