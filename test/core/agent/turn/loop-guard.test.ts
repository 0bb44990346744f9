import { expect } from "chai";
import type { ApprovalRequest, Decision } from "../../../../src/core/approval/approver.js";
import type { ModelEvent, PlainTool, WriteTool } from "../../../../src/plugin/index.js";
import { calls, says, ScriptedModel } from "../../../helpers/scripted-model.js";
import { drain, turnHarness } from "../../../helpers/turn.js";

/** A tool that answers what it is told to, or something new each time. */
function tool(answers: "same" | "new"): PlainTool<{ text: string }> {
    let count = 0;
    return {
        name: "look",
        description: "Looks.",
        inputSchema: { type: "object", properties: { text: { type: "string" } } },
        readOnly: true,
        approval: "none",
        intent: ({ text }) => `Looking at ${text}`,
        execute: async ({ text }) => {
            count += 1;
            const data = answers === "same" ? text : `${text} ${count}`;
            return { ok: true, data: { data, durationMs: count } };
        },
    };
}

/** A tool that changes a file. */
const edit: WriteTool<{ text: string }> = {
    name: "edit",
    description: "Edits.",
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
    readOnly: false,
    approval: "write",
    intent: ({ text }) => `Editing ${text}`,
    propose: async ({ text }) => {
        const after = Buffer.from(text);
        const change = { path: "a.ts", before: null, beforeHash: null, after };
        return { ok: true, changeSet: { changes: [change] } };
    },
};
const automatic = { runGrants: { acceptEdits: true, approveShell: false } };

const look = (id: number, text: string) => calls([`call_${id}`, "look", { text }]);
const looks = (count: number, text = "a.ts") =>
    Array.from({ length: count }, (_, index) => look(index, text));

function answering(...decisions: Decision[]) {
    const asked: ApprovalRequest[] = [];
    const decide = async (request: ApprovalRequest) => {
        asked.push(request);
        return decisions.shift()!;
    };
    return { approver: { decide }, asked };
}

describe("A turn that repeats itself", () => {
    it("The same call with the same result five times ends the turn where nobody can be asked", async () => {
        const model = new ScriptedModel(looks(5));
        const { turn, conversation } = turnHarness(model, [tool("same")]);
        const { outcome } = await drain(turn);
        expect(outcome).to.deep.include({ stopReason: "loop", requests: 5 });
        expect(outcome.error).to.include({
            code: "loop",
            message: "The model made the same call 5 times with the same result: Looking at a.ts.",
        });
        expect(conversation.messages.at(-1)).to.have.property("role", "tool");
    });

    it("A server that pauses its reply again and again is asked ten times, and further after a yes", async () => {
        const paused: ModelEvent[] = [
            { type: "text", text: "Searching" },
            { type: "stop", reason: "paused" },
        ];
        const pauses = (count: number) => Array.from({ length: count }, () => paused);
        const { outcome } = await drain(turnHarness(new ScriptedModel(pauses(10)), []).turn);
        expect(outcome).to.deep.include({ stopReason: "loop", requests: 10 });
        expect(outcome.error).to.include({
            code: "loop",
            message: "The server paused its reply 10 times in a row.",
        });
        const { approver, asked } = answering({ kind: "approve" });
        const model = new ScriptedModel([...pauses(19), says("Done.")]);
        const further = await drain(turnHarness(model, [], { approver }).turn);
        expect(further.outcome).to.include({ stopReason: "end", text: "Done.", requests: 20 });
        expect(asked).to.have.length(1);
        const apart = [...pauses(9), look(1, "a"), ...pauses(9), says("Done.")];
        const { turn } = turnHarness(new ScriptedModel(apart), [tool("new")]);
        expect((await drain(turn)).outcome).to.include({ stopReason: "end", requests: 20 });
    });

    it("Five repetitions are a loop only within ten calls", async () => {
        const others = (count: number) =>
            looks(count).map((_, index) => look(90 + index, `${index}`));
        const loop = [...looks(4), ...others(5), ...looks(1)];
        const found = await drain(turnHarness(new ScriptedModel(loop), [tool("same")]).turn);
        expect(found.outcome.stopReason).to.equal("loop");
        const work = [...looks(4), ...others(6), ...looks(1), says("Done.")];
        const done = await drain(turnHarness(new ScriptedModel(work), [tool("same")]).turn);
        expect(done.outcome.stopReason).to.equal("end");
    });

    it("The same call with another result each time is not a loop", async () => {
        const model = new ScriptedModel([...looks(12), says("Done.")]);
        const { outcome } = await drain(turnHarness(model, [tool("new")]).turn);
        expect(outcome.stopReason).to.equal("end");
    });

    it("Equal calls with a change between them are not a loop", async () => {
        const rounds = (count: number) =>
            Array.from({ length: count }, (_, index) => [
                calls([`edit_${index}`, "edit", { text: `${index}` }]),
                look(index, "a.ts"),
            ]).flat();
        const work = new ScriptedModel([...rounds(7), says("Done.")]);
        const done = await drain(turnHarness(work, [tool("same"), edit], automatic).turn);
        expect(done.outcome).to.include({ stopReason: "end", text: "Done." });

        const stuck = new ScriptedModel([...rounds(2), ...looks(4)]);
        const found = await drain(turnHarness(stuck, [tool("same"), edit], automatic).turn);
        expect(found.outcome.stopReason).to.equal("loop");
    });

    it("The same change again and again is a loop", async () => {
        const edits = Array.from({ length: 5 }, (_, index) =>
            calls([`edit_${index}`, "edit", { text: "same" }])
        );
        const { turn } = turnHarness(new ScriptedModel(edits), [edit], automatic);
        expect((await drain(turn)).outcome.stopReason).to.equal("loop");
    });

    it("The chat asks whether to continue, and after a yes asks again only for another loop", async () => {
        const model = new ScriptedModel([...looks(9), says("Done.")]);
        const { approver, asked } = answering({ kind: "approve" });
        const { turn } = turnHarness(model, [tool("same")], { approver });
        expect((await drain(turn)).outcome.stopReason).to.equal("end");
        expect(asked).to.have.length(1);
        expect(asked[0]).to.deep.include({
            isOnce: true,
            question: {
                sentence:
                    "The model made the same call 5 times with the same result: Looking at a.ts. Continue?",
                key: "loop",
            },
        });
    });

    it("A no ends the turn", async () => {
        const { approver } = answering({ kind: "deny" });
        const model = new ScriptedModel(looks(5));
        const { outcome } = await drain(turnHarness(model, [tool("same")], { approver }).turn);
        expect(outcome.stopReason).to.equal("loop");
    });
});

describe("A turn of many requests", () => {
    const limits = { askAfterRequests: 2 };
    const work = () => [look(1, "a"), look(2, "b"), look(3, "c"), look(4, "d"), says("Done.")];

    it("The user is asked whether to continue each time the reply limit is reached", async () => {
        const { approver, asked } = answering({ kind: "approve" }, { kind: "approve" });
        const model = new ScriptedModel(work());
        const { turn } = turnHarness(model, [tool("same")], { approver, limits });
        expect((await drain(turn)).outcome.stopReason).to.equal("end");
        expect(asked.map((one) => one.kind === "ask" && one.question.sentence)).to.deep.equal([
            "The model has answered 2 times in this turn. Continue?",
            "The model has answered 4 times in this turn. Continue?",
        ]);
    });

    it("A no ends the turn and keeps its results", async () => {
        const { approver } = answering({ kind: "deny" });
        const model = new ScriptedModel(work());
        const { turn, conversation } = turnHarness(model, [tool("same")], { approver, limits });
        const { outcome } = await drain(turn);
        expect(outcome).to.deep.include({ stopReason: "max-turns", requests: 2 });
        expect(conversation.messages.at(-1)).to.have.property("role", "tool");
    });
});

describe("Messages sent during a turn", () => {
    /** A queue from which the user may take messages back. */
    function queueOf(...texts: string[]) {
        const nextMessage = async () => {
            const [text] = texts;
            if (text === undefined) return undefined;
            const content = [{ type: "text" as const, text }];
            const take = () => texts[0] === text && texts.shift() === text;
            return { message: { text, content }, notices: [], take };
        };
        return { texts, nextMessage };
    }

    it("Queued messages go in after the calls of the current reply", async () => {
        const model = new ScriptedModel([look(1, "a"), says("Done.")]);
        const { nextMessage, texts } = queueOf("Stop at b.", "And hurry.");
        const { turn } = turnHarness(model, [tool("same")], { nextMessage });
        const { events } = await drain(turn);
        expect(texts).to.deep.equal([]);
        const roles = model.requests[1]?.messages.map(({ role }) => role);
        expect(roles).to.deep.equal(["user", "assistant", "tool", "user", "user"]);
        expect(events.filter(({ type }) => type === "message-delivered")).to.deep.equal([
            { type: "message-delivered", text: "Stop at b." },
            { type: "message-delivered", text: "And hurry." },
        ]);
    });

    it("A message stays queued where the reply makes no calls", async () => {
        const { nextMessage, texts } = queueOf("Later.");
        await drain(turnHarness(new ScriptedModel([says("Done.")]), [], { nextMessage }).turn);
        expect(texts).to.deep.equal(["Later."]);
    });

    it("A message withdrawn while it was being prepared is not sent", async () => {
        const model = new ScriptedModel([look(1, "a"), says("Done.")]);
        const { nextMessage, texts } = queueOf("Never mind.");
        const { turn } = turnHarness(model, [tool("same")], {
            nextMessage: async () => {
                const next = await nextMessage();
                texts.shift();
                return next;
            },
        });
        await drain(turn);
        expect(JSON.stringify(model.requests[1])).to.not.contain("Never mind.");
    });
});
