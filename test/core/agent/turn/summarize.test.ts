import { expect } from "chai";
import type {
    JournalRecord,
    ModelEvent,
    ModelInfo,
    PlainTool,
} from "../../../../src/plugin/index.js";
import { NorthError } from "../../../../src/base/north-error.js";
import { Conversation } from "../../../../src/core/conversation/fold.js";
import { says, scriptedModelInfo, ScriptedModel } from "../../../helpers/scripted-model.js";
import { drain, turnHarness } from "../../../helpers/turn.js";

const small: ModelInfo = { ...scriptedModelInfo, contextTokens: 10_000, maxOutputTokens: 1_000 };

const CONSTRAINT = "Never use semicolons in this project";

const read: PlainTool<{ lines: number }> = {
    name: "read",
    description: "Reads.",
    inputSchema: {
        type: "object",
        properties: { lines: { type: "number" }, part: { type: "string" } },
        required: ["lines"],
        additionalProperties: false,
    },
    readOnly: true,
    approval: "none",
    intent: () => "Reading",
    summary: () => "read",
    execute: async ({ lines }) => ({ ok: true, data: { text: "line of text\n".repeat(lines) } }),
};

function reading(callId: string, lines: number): ModelEvent[] {
    return [
        { type: "tool-call", callId, name: "read", input: { lines, part: callId } },
        { type: "stop", reason: "tool-calls" },
    ];
}

function summarizing(goal: string, constraints: readonly string[] = []): ModelEvent[] {
    const summary = { goal, decisions: [], constraints, openTasks: [], importantFiles: [] };
    return says(JSON.stringify(summary));
}

function message(text: string) {
    return { text, content: [{ type: "text" as const, text }] };
}

function problemsOf(messages: Conversation["messages"]): string[] {
    return messages.flatMap((each, index) => {
        const before = messages[index - 1];
        const calls =
            before?.role === "assistant"
                ? before.content.flatMap((part) => (part.type === "tool-call" ? part.callId : []))
                : [];
        const results = each.role === "tool" ? each.content.map(({ callId }) => callId) : [];
        return calls.join() === results.join() ? [] : [`message ${index}`];
    });
}

describe("Summarizing a full context", () => {
    it("Two summaries in the middle of a turn keep the user's first instructions", async () => {
        const model = new ScriptedModel([
            reading("1", 900),
            reading("2", 900),
            reading("3", 900),
            summarizing("Read a lot"),
            reading("4", 900),
            reading("5", 900),
            summarizing("Read even more"),
            says("Done."),
        ]);
        const harness = turnHarness(model, [read], {
            model: small,
            message: message(`${CONSTRAINT}. Read everything.`),
        });
        const { outcome, events } = await drain(harness.turn);
        expect(outcome).to.include({ stopReason: "end", text: "Done." });
        model.assertDone();

        const set = harness.records.filter(({ type }) => type === "rolling_summary_set");
        expect(set).to.have.length(2);
        const notices = events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
        expect(notices[0]).to.match(/^The context is \d+% full: summarizing/);
        for (const request of model.requests) {
            expect(problemsOf([...request.messages])).to.deep.equal([]);
        }

        const last = model.requests.at(-1);
        expect(JSON.stringify(last?.messages)).to.contain(CONSTRAINT);
        expect(JSON.stringify(last?.messages)).to.contain("Read even more");
        expect(JSON.stringify(last?.messages)).not.to.contain("Read a lot");

        const summaryRequests = model.requests.filter(({ tools }) => tools.length === 0);
        expect(summaryRequests).to.have.length(2);
        expect(JSON.stringify(summaryRequests[1]?.messages)).to.contain("Read a lot");
        expect(harness.costs, "summaries are paid for").to.have.length(3);

        const again = new Conversation();
        for (const record of harness.records) again.apply(record);
        expect(again.messages).to.deep.equal(harness.conversation.messages);
    });

    it("A model that never answers with a summary is asked twice, and no more after a resume", async () => {
        const model = new ScriptedModel([
            reading("1", 900),
            reading("2", 900),
            reading("3", 900),
            says("{}"),
            says("[]"),
            reading("4", 900),
            says("Done."),
        ]);
        const options = { model: small, message: message(`${CONSTRAINT}. Read.`) };
        const harness = turnHarness(model, [read], options);
        const { outcome, events } = await drain(harness.turn);
        expect(outcome).to.include({ stopReason: "end", text: "Done." });
        model.assertDone();
        const notices = events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
        expect(notices.slice(1)).to.deep.equal([
            "The model gave no usable summary; asking once more.",
            "The model gave no usable summary, so North keeps your messages and lists of changed files and commands instead.",
            "5 messages summarized; the log keeps them.",
        ]);

        const resumed = new Conversation();
        for (const record of harness.records) resumed.apply(record);
        const later = new ScriptedModel([
            reading("5", 900),
            reading("6", 900),
            reading("7", 900),
            says("Again."),
        ]);
        const conversation = {
            ...harness.turn.conversation,
            state: resumed,
            record: (each: JournalRecord) => {
                harness.records.push(each);
                resumed.apply(each);
            },
        };
        const { turn } = turnHarness(later, [read], { ...options, conversation });
        expect((await drain(turn)).outcome.text).to.equal("Again.");
        later.assertDone();
        const sent = JSON.stringify(later.requests.at(-1)?.messages);
        expect(sent).to.contain(CONSTRAINT);
        const set = harness.records.filter(({ type }) => type === "rolling_summary_set");
        expect(set).to.have.length(2);
    });

    it("A model that rejects requests for a summary does not end the conversation", async () => {
        const rejected = new NorthError("invalid-request", "Tools are required.");
        const model = new ScriptedModel([
            reading("1", 900),
            reading("2", 900),
            reading("3", 900),
            [rejected],
            [rejected],
            says("Done."),
        ]);
        const { outcome } = await drain(turnHarness(model, [read], { model: small }).turn);
        expect(outcome).to.include({ stopReason: "end", text: "Done." });
        model.assertDone();
    });

    it("Another model is asked for a summary even if the previous one gave none", () => {
        const conversation = new Conversation();
        const summary = { summary: "Facts", keepFrom: "u", withoutModel: true, at: 1 };
        conversation.apply({ type: "rolling_summary_set", ...summary });
        expect(conversation.isSummarizedWithoutModel).to.equal(true);
        conversation.apply({ type: "model_changed", provider: "p", model: "n", at: 1 });
        expect(conversation.isSummarizedWithoutModel).to.equal(false);
    });

    it("A request for a summary that fails for another reason leaves the conversation whole", async () => {
        const failure = new NorthError("authentication", "The key is wrong.");
        const model = new ScriptedModel([
            reading("1", 900),
            reading("2", 900),
            reading("3", 850),
            [failure],
            says("Done."),
        ]);
        const { turn, records } = turnHarness(model, [read], { model: small });
        const { events } = await drain(turn);
        expect(records.map(({ type }) => type)).not.to.include("rolling_summary_set");
        const notices = events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
        expect(notices.at(-1)).to.equal("Nothing was summarized. The key is wrong.");
    });

    it("A request that the provider finds too long is summarized and sent again", async () => {
        const tooLong = new NorthError("context-overflow", "Too long.");
        const model = new ScriptedModel([
            says("x".repeat(2_000)),
            [tooLong],
            summarizing("Talk"),
            says("Now it fits."),
        ]);
        const harness = turnHarness(model, [], { message: message("Talk to me") });
        await drain(harness.turn);
        const { outcome } = await drain({
            ...harness.turn,
            request: { ...harness.turn.request, message: message("And again") },
        });
        expect(outcome).to.include({ stopReason: "end", text: "Now it fits." });
        const sent = model.requests.at(-1)?.messages ?? [];
        expect(sent.map(({ role }) => role)).to.deep.equal(["user", "user"]);
        expect(JSON.stringify(sent[1])).to.contain("And again");
    });

    it("A refusal with megabytes of numbers is searched for the window without a halt", async () => {
        const tooLong = new NorthError("context-overflow", `Too long: ${"1,".repeat(1_000_000)}`);
        const { outcome } = await drain(turnHarness(new ScriptedModel([[tooLong]]), []).turn);
        expect(outcome.stopReason).to.equal("context-overflow");
    });

    it("A conversation that neither fits nor can be summarized ends with a next step", async () => {
        const tooLong = new NorthError("context-overflow", "Too long.");
        const model = new ScriptedModel([[tooLong]]);
        const { outcome } = await drain(turnHarness(model, []).turn);
        expect(outcome.stopReason).to.equal("context-overflow");
        expect(outcome.error).to.be.instanceOf(NorthError);
        expect((outcome.error as NorthError).nextSteps.join()).to.contain("/summarize");
    });

    it("A cancel during the summary leaves the conversation unchanged", async () => {
        const controller = new AbortController();
        const model = new ScriptedModel([
            reading("1", 900),
            reading("2", 900),
            reading("3", 900),
            async function* (): AsyncGenerator<ModelEvent> {
                yield { type: "usage", usage: { inputTokens: 7 } };
                controller.abort();
                await new Promise(() => {});
            },
        ]);
        const harness = turnHarness(model, [read], { model: small, signal: controller.signal });
        const { outcome } = await drain(harness.turn);
        expect(outcome.stopReason).to.equal("cancelled");
        expect(outcome.usage.inputTokens).to.equal(7);
        expect(harness.costs).to.have.length(1);
        expect(harness.records.map(({ type }) => type)).not.to.include("rolling_summary_set");
    });

    it("A turn ends before a summary that the budget does not allow", async () => {
        const model = new ScriptedModel([reading("1", 900), reading("2", 900), reading("3", 900)]);
        let checks = 0;
        const { turn } = turnHarness(model, [read], {
            model: small,
            budget: {
                check: async () =>
                    (checks += 1) <= 3
                        ? { kind: "within" }
                        : {
                              kind: "spent",
                              sentence: "It is spent.",
                              nextSteps: [],
                              raiseLimit: () => {},
                          },
            },
        });
        expect((await drain(turn)).outcome.stopReason).to.equal("max-cost");
    });
});
