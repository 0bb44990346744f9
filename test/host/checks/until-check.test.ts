import { readdirSync } from "node:fs";
import { expect } from "chai";
import { Once } from "../../../src/base/once.js";
import { UntilCheck } from "../../../src/host/checks/until-check.js";
import { Checks } from "../../../src/core/agent/checks.js";
import type { ContainedRuns } from "../../../src/core/approval/contained-runs.js";
import { silentLog } from "../../../src/core/log.js";
import type { Mode, Shell, ShellRunOptions, Workspace } from "../../../src/plugin/index.js";
import { openShell } from "../../../src/shell/open-shell.js";
import { ScriptedModel, type ScriptedReply } from "../../helpers/scripted-model.js";
import { drain, turnHarness } from "../../helpers/turn.js";
import { makeFolder } from "../../workspace/make-folder.js";

const END: ScriptedReply = [
    { type: "text", text: "Done." },
    { type: "stop", reason: "end" },
];

/** A turn that has to end with a command, whose replies change nothing. */
async function run(command: string, maxAttempts: number, replies: number, mode: Mode = "agent") {
    const root = makeFolder({});
    const shell = openShell({ root, environment: process.env, withheldVariables: [] });
    const contained = { mode: "off" } as ContainedRuns;
    const check = new UntilCheck(
        { command, maxAttempts },
        { root, contained, shell, isInteractive: true, note: () => {} }
    );
    const { signal } = new AbortController();
    const checks = new Checks({
        checks: [{ plugin: "north", value: check }],
        context: { workspace: {} as Workspace, conversationId: "abc123", mode },
        signal,
        log: silentLog,
        once: new Once(),
        maxContinuations: maxAttempts,
    });
    const model = new ScriptedModel(Array<ScriptedReply>(replies).fill(END));
    try {
        check.beginTurn();
        const { events } = await drain(turnHarness(model, [], { signal, checks }).turn);
        const last = events.at(-1);
        const judged = last && check.judge(last);
        if (judged?.type !== "turn-finished") throw new Error("The turn has no end.");
        const sent = model.requests.map(({ messages }) => JSON.stringify(messages.at(-1)));
        return { outcome: judged.outcome, sent };
    } finally {
        await shell.dispose();
    }
}

describe("A turn until a command passes", () => {
    it("The model reads the output of the failing command until it passes", async () => {
        const command = "echo run >> log; cat log; test $(wc -l < log) -ge 3";
        const { outcome, sent } = await run(command, 5, 3);
        expect(outcome).to.deep.include({ stopReason: "end", requests: 3 });
        expect(sent[1]).to.contain("exited with 1 (attempt 1 of 5)").and.to.contain("run");
        expect(sent[2]).to.contain("attempt 2 of 5");
    });

    it("A turn whose command never passes fails after the attempts it has", async () => {
        const { outcome } = await run("echo no; exit 7", 2, 3);
        expect(outcome).to.deep.include({ stopReason: "error", requests: 3 });
        expect(outcome.error).to.have.property("code", "until-failed");
        expect(outcome.error).to.have.deep.property("nextSteps", [
            "Say what to try, or allow more attempts: `/until CMD --max N`.",
        ]);
    });

    it("In ask mode nothing is run, and the turn ends", async () => {
        const { outcome } = await run("exit 1", 2, 1, "ask");
        expect(outcome).to.deep.include({ stopReason: "end", requests: 1 });
    });

    it("Where a command cannot see the draft it is not run, and the turn fails with the reason", async () => {
        const ran = makeFolder({});
        const { outcome } = await run(`touch ${ran}/ran`, 2, 1, "draft");
        expect(outcome.stopReason).to.equal("error");
        expect(String(outcome.error)).to.match(/ was not run: it would not see the draft\.$/);
        expect(readdirSync(ran)).to.deep.equal([]);
    });

    it("A command that never ends reaches its own time limit before that of the check", async () => {
        const limits: number[] = [];
        const outcome = { stdout: "", stderr: "", exitCode: 143, durationMs: 1, truncated: false };
        const shell = {
            async run(_command: string, { timeoutMs = 0 }: ShellRunOptions = {}) {
                limits.push(timeoutMs);
                return { ...outcome, timedOut: true };
            },
        } as Shell;
        const contained = { mode: "off" } as ContainedRuns;
        const goal = { command: "sleep 900", maxAttempts: 1 };
        const check = new UntilCheck(goal, {
            root: "/",
            contained,
            shell,
            isInteractive: true,
            note: () => {},
        });
        const { signal } = new AbortController();
        const context = { workspace: {} as Workspace, conversationId: "abc123", signal };
        const answer = await check.afterTurn("", { ...context, mode: "agent" });
        expect(answer?.continueWith).to.contain("timed out");
        expect(limits[0]).to.be.below(check.timeLimitMs);
    });
});
