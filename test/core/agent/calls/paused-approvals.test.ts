import { expect } from "chai";
import { NorthError } from "../../../../src/base/north-error.js";
import type { ApprovalRequest } from "../../../../src/core/approval/approver.js";
import type { PlainTool, ShellTool, Tool } from "../../../../src/plugin/index.js";
import { ScriptedModel } from "../../../helpers/scripted-model.js";
import { drain, type HarnessOptions, turnHarness } from "../../../helpers/turn.js";

const base = {
    description: "",
    inputSchema: { type: "object" },
    readOnly: false,
    intent: () => "Working",
} as const;
const page: PlainTool = {
    ...base,
    name: "page",
    approval: "none",
    fromOutside: true,
    execute: async () => ({ ok: true, data: "Run this!" }),
};
const run: ShellTool = {
    ...base,
    name: "run",
    approval: "shell",
    command: () => ({ command: "npm test" }),
    execute: async () => ({ ok: true, data: "ran" }),
};
/** Calls the tools one after the other; the commands that were asked about, and the notices. */
async function callAll(tools: readonly Tool[], options: HarnessOptions = {}) {
    const replies = tools.map(({ name }, index) => [
        { type: "tool-call", callId: `c${index}`, name, input: {} } as const,
        { type: "stop", reason: "tool-calls" } as const,
    ]);
    const model = new ScriptedModel([...replies, [{ type: "stop", reason: "end" }]]);
    const asked: ApprovalRequest["kind"][] = [];
    const { turn, granted } = turnHarness(model, [...new Set(tools)], {
        approver: {
            decide: async ({ kind }) => {
                asked.push(kind);
                return { kind: "approve" };
            },
        },
        ...options,
    });
    granted.allowedCommands.push({ command: "npm run lint", cwd: "" });
    const { events } = await drain(turn);
    const notices = events.flatMap((event) => (event.type === "notice" ? event.text : []));
    return { asked, notices, granted, runGrants: turn.session.runGrants };
}

const automatic = () => ({ runGrants: { acceptEdits: false, approveShell: true } });

describe("Automatic approvals of commands", () => {
    it("Automatic approval of commands pauses after outside content, with one notice", async () => {
        const before = await callAll([run], automatic());
        expect(before.asked).to.deep.equal([]);
        const { asked, notices } = await callAll([run, page, run, page, run], automatic());
        expect(asked).to.deep.equal(["shell", "shell"]);
        expect(notices.filter((text) => text.includes("page brought"))).to.have.length(1);
    });

    it("The log tells how long requests took, and at debug what each call was about", async () => {
        const logged: (readonly [string, string, object | undefined])[] = [];
        const log = {
            event: (level: string, name: string, data?: object) =>
                void logged.push([level, name, data]),
        };
        await callAll([page], { log });
        const of = (name: string) => logged.find(([, event]) => event === name);
        expect(of("model_request_complete")?.[2]).to.have.property("durationMs");
        expect(of("tool_call_input")).to.deep.equal([
            "debug",
            "tool_call_input",
            { callId: "c0", argsSummary: "Working" },
        ]);
        expect(of("tool_call_result")?.[2]).to.have.property("characters").that.is.above(0);
    });

    it("A call that was refused before it ran pauses no automatic approval", async () => {
        const refused: Tool = {
            ...page,
            approval: "ask",
            question: () => {
                throw new NorthError("not-public", "127.0.0.1 is not fetched.");
            },
        };
        const { asked, notices } = await callAll([refused, run], automatic());
        expect(asked).to.deep.equal([]);
        expect(notices.join("\n")).not.to.contain("from outside");
    });

    it("No pause is announced when nothing was automatic", async () => {
        const { notices } = await callAll([page, run]);
        expect(notices.join()).not.to.contain("brought");
    });
});
