import { expect } from "chai";

import { TurnStopped } from "../../../../src/core/agent/turn.js";
import type { ApprovalRequest, Decision } from "../../../../src/core/approval/approver.js";
import type { ShellTool, WriteTool } from "../../../../src/plugin/index.js";
import { calls, says, ScriptedModel } from "../../../helpers/scripted-model.js";
import { drain, turnHarness } from "../../../helpers/turn.js";

const inputSchema = { type: "object", properties: { text: { type: "string" } } };
const ran: string[] = [];

const shell: ShellTool<{ text: string }> = {
    ...{ name: "shell", description: "Runs.", inputSchema, readOnly: false, approval: "shell" },
    intent: ({ text }) => `Running ${text}`,
    command: ({ text }) => ({ command: text }),
    execute: async ({ text }) => {
        ran.push(text);
        return { ok: true, data: {} };
    },
};

const write: WriteTool<{ text: string }> = {
    ...{ name: "write", description: "Writes.", inputSchema, readOnly: false, approval: "write" },
    intent: () => "Editing a.txt",
    propose: async ({ text }) => {
        const after = Buffer.from(text);
        const change = { path: "a.txt", before: null, beforeHash: null, after };
        return { ok: true, changeSet: { changes: [change] } };
    },
};

describe("a turn that is cancelled at a question", () => {
    for (const first of ["shell", "write"] as const) {
        it(`The ${first} call is denied and stored as denied, and the model reads that nothing ran`, async () => {
            ran.length = 0;
            const controller = new AbortController();
            const approver = {
                decide: async (): Promise<Decision> => {
                    controller.abort(new TurnStopped("cancelled"));
                    return { kind: "deny" };
                },
            };
            const model = new ScriptedModel([
                calls(["1", first, { text: "x" }], ["2", "shell", { text: "rm b" }]),
            ]);
            const { signal } = controller;
            const harness = turnHarness(model, [shell, write], { approver, signal });
            const { outcome, events } = await drain(harness.turn);
            expect(outcome.stopReason).to.equal("cancelled");
            const reviews = harness.conversation.entries.filter(({ kind }) => kind === "review");
            expect(reviews).to.have.length(1);
            expect(reviews[0]).to.deep.include({
                callId: "1",
                status: "denied",
                decidedBy: "user",
                subject: first,
            });
            expect(events.map(({ type }) => type)).to.include("review-settled");
            expect([ran, harness.applied]).to.deep.equal([[], []]);
            harness.conversation.closeOpenCalls();
            const last = harness.conversation.messages.at(-1);
            const told = last?.role === "tool" ? last.content.map(({ content }) => content) : [];
            expect(told[0]).to.contain('"code":"denied"').and.contain("Nothing ran");
            expect(told[1]).to.contain('"code":"cancelled"').and.contain("Nothing ran");
        });
    }

    it("An approval until North ends is not asked for again and is not stored", async () => {
        const asked: string[] = [];
        const approver = {
            decide: async (request: ApprovalRequest): Promise<Decision> => {
                asked.push(request.kind);
                return { kind: "approve", remember: "session" };
            },
        };
        const model = new ScriptedModel([
            calls(["1", "shell", { text: "ls" }], ["2", "shell", { text: "ls" }]),
            calls(["3", "write", { text: "x" }], ["4", "write", { text: "y" }]),
            calls(["5", "shell", { text: "ls -l" }]),
            says("ok"),
        ]);
        const harness = turnHarness(model, [shell, write], { approver });
        await drain(harness.turn);
        expect(asked).to.deep.equal(["shell", "write", "shell"]);
        expect(harness.granted.allowedCommands).to.deep.equal([]);
        expect(await harness.turn.project.grants.snapshot()).to.deep.include({
            editsAutoAccept: false,
        });
    });
});
