import { expect } from "chai";
import { Once } from "../../../../src/base/once.js";
import { Checks } from "../../../../src/core/agent/checks.js";
import type { ApprovalRequest, Decision } from "../../../../src/core/approval/approver.js";
import { silentLog } from "../../../../src/core/log.js";
import type {
    CheckedCall,
    PlainTool,
    ShellTool,
    Tool,
    Workspace,
    WriteTool,
} from "../../../../src/plugin/index.js";
import { calls, says, ScriptedModel } from "../../../helpers/scripted-model.js";
import { drain, type HarnessOptions, turnHarness } from "../../../helpers/turn.js";

const ran: string[] = [];
const base = {
    description: "",
    inputSchema: { type: "object" },
    readOnly: false,
    intent: () => "Working",
} as const;
const execute = (name: string) => async () => {
    ran.push(name);
    return { ok: true as const, data: {} };
};
const TOOLS: readonly Tool[] = [
    { ...base, name: "plain", approval: "none", execute: execute("plain") } satisfies PlainTool,
    {
        ...base,
        name: "shell",
        approval: "shell",
        command: () => ({ command: "make" }),
        execute: execute("shell"),
    } satisfies ShellTool,
    {
        ...base,
        name: "write",
        approval: "write",
        propose: async () => {
            const after = Buffer.from("x");
            const change = { path: "a.txt", before: null, beforeHash: null, after };
            return { ok: true, changeSet: { changes: [change] } };
        },
    } satisfies WriteTool,
];

/** Calls a tool with everything automatic, while a check wants the user asked. */
async function callWithCheck(name: string, options: HarnessOptions) {
    ran.length = 0;
    const seen: CheckedCall[] = [];
    const check = {
        name: "guard",
        beforeCall: async (call: CheckedCall) => {
            seen.push(call);
            return { ask: "It looks risky.", notice: "Look!" };
        },
    };
    const checks = new Checks({
        checks: [{ plugin: "test", value: check }],
        context: { workspace: {} as Workspace, conversationId: "abc123", mode: "agent" },
        signal: new AbortController().signal,
        log: silentLog,
        once: new Once(),
    });
    const model = new ScriptedModel([calls(["1", name, {}]), says("Done.")]);
    const harness = turnHarness(model, TOOLS, {
        checks,
        runGrants: {
            acceptEdits: true,
            approveShell: true,
            commands: [{ command: "make", cwd: "", since: "0" }],
        },
        ...options,
    });
    const { events } = await drain(harness.turn);
    const notices = events.flatMap((event) => (event.type === "notice" ? event.text : []));
    const last = harness.conversation.messages.findLast(({ role }) => role === "tool");
    return { seen, notices, applied: harness.applied, told: JSON.stringify(last) };
}

describe("A check that wants the user asked", () => {
    for (const { name } of TOOLS) {
        it(`The ${name} call is asked about although everything is automatic, with the reason`, async () => {
            for (const decision of [{ kind: "approve" }, { kind: "deny" }] as const) {
                const asked: ApprovalRequest[] = [];
                const approver = {
                    decide: async (request: ApprovalRequest): Promise<Decision> => {
                        asked.push(request);
                        return decision;
                    },
                };
                const { applied, notices } = await callWithCheck(name, { approver });
                expect(asked).to.have.length(1);
                expect(JSON.stringify(asked[0])).to.contain("It looks risky.");
                const isDone = ran.length + applied.length === 1;
                expect(isDone).to.equal(decision.kind === "approve");
                expect(notices).to.include("guard: Look!");
            }
        });

        it(`The ${name} call is refused where nobody can be asked`, async () => {
            const { applied, told } = await callWithCheck(name, { approver: undefined });
            expect([ran, applied]).to.deep.equal([[], []]);
            expect(told).to.contain("print mode cannot ask");
        });
    }

    it("A shell tool counts as Bash and a write tool as Edit, unless it says otherwise", async () => {
        const bash = await callWithCheck("shell", { approver: undefined });
        expect(bash.seen[0]?.equivalents).to.deep.equal([
            { tool: "Bash", input: { command: "make" } },
        ]);
        const edit = await callWithCheck("write", { approver: undefined });
        expect(edit.seen[0]?.equivalents).to.deep.equal([{ tool: "Edit", input: {} }]);
    });
});
