import { expect } from "chai";
import { Once } from "../../../src/base/once.js";
import { Checks } from "../../../src/core/agent/checks.js";
import type { ApprovalRequest } from "../../../src/core/approval/approver.js";
import { silentLog } from "../../../src/core/log.js";
import type { Check, Tool, Workspace } from "../../../src/plugin/index.js";
import { ScriptedModel, type ScriptedReply } from "../../helpers/scripted-model.js";
import { drain, turnHarness } from "../../helpers/turn.js";

const END: ScriptedReply = [
    { type: "text", text: "Done." },
    { type: "stop", reason: "end" },
];
const call = (name: string): ScriptedReply => [
    { type: "tool-call", callId: "c1", name, input: {} },
    { type: "stop", reason: "tool-calls" },
];
const hang = () => new Promise<never>(() => {});
const fail = async () => {
    throw new Error("broken\nin two lines");
};
const lie = async () => "no object" as never;

/** A turn with checks, in which the model calls a tool that reads or one that writes. */
async function run(checks: readonly Check[], script: ScriptedReply[]) {
    let ran = 0;
    const reading: Tool = {
        name: "reading",
        description: "Reads.",
        inputSchema: { type: "object" },
        approval: "none",
        readOnly: true,
        intent: () => "Reading",
        execute: async () => {
            ran += 1;
            return { ok: true, data: { lines: 1 } };
        },
    };
    const after = Buffer.from("new");
    const writing: Tool = {
        ...reading,
        name: "writing",
        approval: "write",
        readOnly: false,
        propose: async () => ({
            ok: true,
            changeSet: { changes: [{ path: "a.ts", before: null, beforeHash: null, after }] },
        }),
    };
    const passing: Tool = {
        ...reading,
        name: "passing",
        target: () => ({ tool: "server__delete", input: { id: 1 } }),
        equivalents: () => [{ tool: "mcp__server__delete", input: { id: 1 } }],
    };
    const asked: ApprovalRequest[] = [];
    const model = new ScriptedModel(script);
    const { signal } = new AbortController();
    const turnChecks = new Checks({
        checks: checks.map((value) => ({ plugin: "stranger", value })),
        context: { workspace: {} as Workspace, conversationId: "abc123", mode: "agent" },
        signal,
        log: silentLog,
        once: new Once(),
    });
    const harness = turnHarness(model, [reading, writing, passing], {
        signal,
        checks: turnChecks,
        approver: {
            decide: async (request) => {
                asked.push(request);
                return { kind: "approve" };
            },
        },
    });
    const { events, outcome } = await drain(harness.turn);
    const notices = events.flatMap((event) => (event.type === "notice" ? event.text : []));
    const sent = model.requests.map(({ messages }) => JSON.stringify(messages.at(-1)));
    return { ran, asked, events, notices, outcome, sent, applied: harness.applied };
}

describe("Checks", () => {
    it("A denied call never runs, and the user and the model are told who refused it", async () => {
        const { ran, events, sent } = await run(
            [{ name: "guard", beforeCall: async ({ tool }) => ({ deny: `no ${tool}` }) }],
            [call("reading"), END]
        );
        expect(ran).to.equal(0);
        const finished = events.find((event) => event.type === "tool-call-finished");
        expect(finished).to.deep.include({ ok: false });
        expect(finished?.error?.message).to.equal("guard: no reading");
        expect(sent[1]).to.contain("guard: no reading");
    });

    it("Notes of before and after a call reach the model with its result", async () => {
        const { ran, sent } = await run(
            [
                {
                    name: "notes",
                    beforeCall: async () => ({ note: "known before" }),
                    afterCall: async ({ result }) => ({ note: `ok was ${result.ok}` }),
                },
            ],
            [call("reading"), END]
        );
        expect(ran).to.equal(1);
        expect(sent[1]).to.contain("known before").and.to.contain("ok was true");
    });

    it("A check sees the tool that a call really goes to, with its input and its other names", async () => {
        const seen: object[] = [];
        const { ran } = await run(
            [
                {
                    name: "guard",
                    beforeCall: async ({ tool, equivalents, input }) => {
                        seen.push({ tool, equivalents, input });
                        return tool === "server__delete" ? { deny: "never" } : undefined;
                    },
                },
            ],
            [call("passing"), END]
        );
        const input = { id: 1 };
        const equivalents = [{ tool: "mcp__server__delete", input }];
        expect(seen).to.deep.equal([{ tool: "server__delete", equivalents, input }]);
        expect(ran).to.equal(0);
    });

    it("A check cannot approve: a write that it allows is still asked about", async () => {
        const allow = { allow: true, approve: true, decision: "allow" } as object;
        const { asked } = await run(
            [{ name: "generous", beforeCall: async () => allow, onProposal: async () => [] }],
            [call("writing"), END]
        );
        expect(asked.map(({ kind }) => kind)).to.deep.equal(["write"]);
    });

    it("Findings appear in the review and the result, and malformed ones are dropped", async () => {
        const finding = { path: "a.ts", line: 1, severity: "error", text: "bad\nname" } as const;
        const { asked, sent } = await run(
            [
                { name: "linter", onProposal: async () => [finding, { text: "?" } as never] },
                { name: "flood", onProposal: async () => Array(1_000).fill(finding) },
            ],
            [call("writing"), END]
        );
        const [request] = asked;
        const findings = request?.kind === "write" ? request.findings : [];
        expect(findings).to.have.length(21);
        expect(findings?.[0]).to.equal("a.ts:1: error: bad name");
        expect(sent[1]).to.contain("bad name");
    });

    it("A check that throws, hangs or lies is ignored with one warning, in every method", async () => {
        for (const method of [fail, hang, lie]) {
            const bad: Check = {
                name: "bad",
                timeLimitMs: 20,
                beforeCall: method,
                onProposal: method,
                afterCall: method,
                afterTurn: method,
            };
            const { notices, applied, outcome } = await run([bad], [call("writing"), END]);
            expect(applied, method.name).to.have.length(1);
            expect(outcome.stopReason).to.equal("end");
            expect(notices, method.name).to.have.length(method === lie ? 0 : 1);
        }
    });

    it("Checks at the end of a turn make the model continue at most three times", async () => {
        const { outcome, sent, notices } = await run(
            [{ name: "stop", afterTurn: async () => ({ continueWith: "Run the tests." }) }],
            [END, END, END, END]
        );
        expect(outcome).to.deep.include({ stopReason: "end", requests: 4 });
        expect(sent.slice(1).every((text) => text.includes("Run the tests."))).to.equal(true);
        expect(notices[0]).to.equal("stop: the model continues: Run the tests.");
    });
});
