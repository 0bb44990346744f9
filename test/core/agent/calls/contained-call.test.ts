import { expect } from "chai";

import { shellRun } from "../../../../src/builtin/tools/shell-run.js";
import type { ApprovalRequest, Decision } from "../../../../src/core/approval/approver.js";
import {
    type ContainedResult,
    type ContainedRuns,
    NO_OUTPUTS,
} from "../../../../src/core/approval/contained-runs.js";
import { needIn, networkIn, readCommand } from "../../../../src/code/commands/read-command.js";
import type { FileChange, Shell, ShellOutcome } from "../../../../src/plugin/index.js";
import { NorthError } from "../../../../src/base/north-error.js";
import { TurnStopped } from "../../../../src/core/agent/turn.js";
import { ScriptedModel } from "../../../helpers/scripted-model.js";
import { drain, type HarnessOptions, turnHarness } from "../../../helpers/turn.js";

const OUTCOME: ShellOutcome = {
    stdout: "out\n",
    stderr: "",
    exitCode: 0,
    durationMs: 5,
    truncated: false,
};

const change = (path: string): FileChange => ({
    path,
    before: null,
    beforeHash: null,
    after: Buffer.from("new\n"),
});

/** A turn in which the model runs one command, and what came of it. */
async function runCommand(
    contained: Partial<ContainedResult> | Error,
    options: HarnessOptions & {
        input?: object;
        containment?: Partial<ContainedRuns>;
        answer?: Decision;
    } = {}
) {
    const { input = {}, containment = {}, answer = { kind: "deny" }, ...harness } = options;
    const model = new ScriptedModel([
        [
            {
                type: "tool-call",
                callId: "c1",
                name: "shell_run",
                input: { command: "make", ...input },
            },
            { type: "stop", reason: "tool-calls" },
        ],
        [
            { type: "text", text: "done" },
            { type: "stop", reason: "end" },
        ],
    ]);
    const asked: ApprovalRequest[] = [];
    const ran = { contained: 0, real: 0, kept: 0 };
    const runs: ContainedRuns = {
        mode: "auto",
        unavailable: async () => undefined,
        notice: async () => undefined,
        run: async () => {
            ran.contained += 1;
            if (contained instanceof Error) throw contained;
            const keep = () => {
                ran.kept += 1;
                return [];
            };
            const nothing = { effects: [], notes: [], outputs: NO_OUTPUTS };
            return { outcome: OUTCOME, ...nothing, keep, ...contained };
        },
        ...containment,
    };
    const shell = {
        cwd: "/project",
        resolve: async (cwd?: string) => cwd ?? "/project",
        run: async () => {
            ran.real += 1;
            return OUTCOME;
        },
    } as Shell;
    const { turn, records, applied } = turnHarness(model, [shellRun], {
        shell,
        contained: runs,
        forecast: async (command) => {
            const { facts } = await readCommand(command);
            const [needs, network] = [needIn(facts), networkIn(facts)];
            return { consequences: [], needs, network, backUp: async () => async () => undefined };
        },
        approver: {
            decide: async (request) => {
                asked.push(request);
                return answer;
            },
        },
        ...harness,
    });
    const { events } = await drain(turn);
    const entry = records
        .flatMap((record) => (record.type === "entry_added" ? record.entry : []))
        .find((each) => each.kind === "tool_result");
    const result = entry?.kind === "tool_result" ? JSON.parse(entry.content) : undefined;
    return {
        asked,
        ran,
        applied,
        result,
        events,
        summary: entry && "summary" in entry ? entry.summary : "",
    };
}

const APPROVE: Decision = { kind: "approve" };
const TAKEN = "The user took the contained result instead of a real run.";

describe("commands that run contained first", () => {
    it("A command without effects needs no question, and its result says that it ran contained", async () => {
        const { asked, ran, result, summary } = await runCommand({});
        expect(asked).to.deep.equal([]);
        expect(ran).to.deep.equal({ contained: 1, real: 0, kept: 1 });
        expect(result.data).to.include({ stdout: "out\n", contained: true });
        expect(summary).to.match(/^contained · exit 0 in /);
    });

    it("A command's changes are reviewed as one and applied when approved", async () => {
        const { asked, ran, applied, result } = await runCommand(
            { effects: [change("a"), change("b")] },
            { answer: APPROVE }
        );
        expect(asked.map(({ kind }) => kind)).to.deep.equal(["write"]);
        expect(asked[0]).to.include({ command: "make" });
        expect(applied[0]?.changes.map(({ path }) => path)).to.deep.equal(["a", "b"]);
        expect(ran).to.deep.equal({ contained: 1, real: 0, kept: 1 });
        expect(result.data.effects).to.include({ applied: "all" });
    });

    it("Rejected changes leave nothing behind, neither files nor the session's folder", async () => {
        const { applied, ran, result } = await runCommand(
            { effects: [change("a")] },
            { answer: { kind: "deny", reason: "not now" } }
        );
        expect(applied).to.deep.equal([]);
        expect(ran.kept).to.equal(0);
        expect(result.data).to.include({ stdout: "out\n", contained: true });
        expect(result.data.effects).to.include({ applied: "none", hint: "Reason: not now" });
    });

    it("Approved changes that could not be written are settled as denied", async () => {
        const { events, applied, ran } = await runCommand(
            { effects: [change("a")] },
            { answer: APPROVE, staleTimes: 1 }
        );
        expect(applied).to.have.length(1);
        expect(ran.kept).to.equal(0);
        const settled = events.filter((event) => event.type === "review-settled");
        expect(settled.map(({ status }) => status)).to.deep.equal(["approved", "denied"]);
        expect(settled[1]).to.include({ command: "make", what: "a", decidedBy: "policy" });
        expect(settled[1]?.reason).to.contain("changed after the review");
    });

    it("A denial of thousands of files names the first of them", async () => {
        const effects = Array.from({ length: 3_000 }, (_, index) => change(`${index}`));
        const { events } = await runCommand({ effects }, { answer: APPROVE, staleTimes: 1 });
        const settled = events.filter((event) => event.type === "review-settled");
        expect(settled.at(-1)?.what).to.match(/^0, 1, .*, 49, 2,950 more$/);
    });

    it("What a command printed reaches the model when the disk is too full for its approved changes", async () => {
        const { events, ran, result } = await runCommand(
            { effects: [change("a")] },
            { answer: APPROVE, applyOutcome: new NorthError("disk-full", "No space for a.") }
        );
        expect(ran.kept).to.equal(0);
        expect(result.data).to.deep.include({ stdout: "out\n", contained: true });
        expect(result.data.effects).to.include({ applied: "none", code: "disk-full" });
        const settled = events.filter((event) => event.type === "review-settled");
        expect(settled[1]).to.include({ status: "denied", what: "a", reason: "No space for a." });
    });

    it("Automatic edits cover a contained command's changes", async () => {
        const { asked, applied } = await runCommand(
            { effects: [change("a")] },
            { runGrants: { acceptEdits: true, approveShell: false } }
        );
        expect(asked).to.deep.equal([]);
        expect(applied).to.have.length(1);
    });

    for (const place of [
        ".envrc",
        ".husky/pre-commit",
        ".github/workflows/x.yml",
        "sub/AGENTS.md",
        ".gitattributes",
    ]) {
        it(`Automatic edits do not cover a command's change of ${place}, which runs later`, async () => {
            const { asked } = await runCommand(
                { effects: [change("a"), change(place)] },
                { runGrants: { acceptEdits: true, approveShell: false } }
            );
            expect(asked.map(({ kind }) => kind)).to.deep.equal(["write"]);
        });
    }

    it("A command that cannot work contained is proposed as a real one, with the reason", async () => {
        const { asked, ran } = await runCommand(
            { needs: "It needs the network: example.org:443" },
            { answer: APPROVE }
        );
        expect(asked).to.have.length(1);
        expect(asked[0]).to.include({
            kind: "shell",
            needs: "It needs the network: example.org:443",
        });
        expect(ran).to.deep.equal({ contained: 1, real: 1, kept: 0 });
    });

    it("A command that is asked about as a real one can be tried contained first, without an effect", async () => {
        for (const input of [{}, { network: true }]) {
            const { asked, ran, applied } = await runCommand(
                { effects: [change("a")], needs: "It needs the network" },
                { input }
            );
            const [request] = asked;
            if (request?.kind !== "shell") throw new Error("No command was asked about.");
            const before = ran.contained;
            const trial = await request.tryContained?.();
            expect(trial?.diffs.map(({ path }) => path)).to.deep.equal(["a"]);
            expect(trial).to.include({ needs: "It needs the network", outcome: OUTCOME });
            expect(ran).to.deep.equal({ contained: before + 1, real: 0, kept: 0 });
            expect(applied).to.deep.equal([]);
        }
    });

    /** What contained commands set, and which commands ran with it. */
    function withSet() {
        const ran: string[] = [];
        const shell = {
            cwd: "/project",
            resolve: async () => "/project",
            run: async (command: string) => {
                ran.push(command);
                return OUTCOME;
            },
        } as Shell;
        const shown = ["PIP_INDEX_URL=http://evil.example/"];
        return { ran, shown, setVariables: async () => ({ shown, shell }) };
    }

    it("A real command is asked about together with what contained ones set, and a yes covers both", async () => {
        const { ran: ranWith, shown, setVariables } = withSet();
        const containment = { setVariables };
        const yes = await runCommand(
            { needs: "It needs the network" },
            { answer: APPROVE, containment }
        );
        expect(yes.asked[0]).to.deep.include({ kind: "shell", variables: shown });
        expect(ranWith).to.deep.equal(["make"]);
        expect(yes.ran.real).to.equal(0);
        await runCommand({ needs: "It needs the network" }, { containment });
        expect(ranWith).to.deep.equal(["make"]);
    });

    it("A command that runs without a question does not get what contained ones set", async () => {
        const { ran: ranWith, setVariables } = withSet();
        const containment = { setVariables };
        const allowed = { allowedCommands: [{ command: "make", cwd: "" }] };
        for (const options of [
            { granting: allowed },
            { granting: { shellAutoApprove: true } },
            { runGrants: { acceptEdits: false, approveShell: true } },
            { runGrants: { acceptEdits: false, approveShell: true }, approver: undefined },
            { runGrants: { acceptEdits: false, approveShell: true }, input: { network: true } },
        ]) {
            const { asked, ran } = await runCommand({}, { ...options, containment });
            expect(asked).to.deep.equal([]);
            expect(ran.real).to.equal(1);
        }
        expect(ranWith).to.deep.equal([]);
    });

    it("An allowed command runs for real at once", async () => {
        const granting = { allowedCommands: [{ command: "make", cwd: "" }] };
        const { asked, ran } = await runCommand({}, { granting });
        expect(asked).to.deep.equal([]);
        expect(ran).to.deep.equal({ contained: 0, real: 1, kept: 0 });
    });

    it("Where containment is required, an allowed command runs for real only after a question", async () => {
        const options = {
            granting: { allowedCommands: [{ command: "make", cwd: "" }], shellAutoApprove: true },
            runGrants: { acceptEdits: false, approveShell: true },
            containment: { mode: "required" as const },
        };
        expect((await runCommand({}, options)).ran).to.include({ contained: 1, real: 0 });
        const refused = await runCommand({ needs: "It needs the network" }, options);
        expect(refused.asked).to.have.length(1);
        expect(refused.ran.real).to.equal(0);
        const missing = await runCommand(
            {},
            { ...options, containment: { mode: "required", unavailable: async () => "no" } }
        );
        expect(missing.asked).to.have.length(1);
    });

    it("Without containment, each command is asked about", async () => {
        for (const containment of [
            { mode: "off" as const },
            { unavailable: async () => "no namespaces" },
        ]) {
            const { asked, ran } = await runCommand({}, { containment });
            expect(asked.map(({ kind }) => kind)).to.deep.equal(["shell"]);
            expect(asked[0]).not.to.have.property("tryContained");
            expect(ran.contained).to.equal(0);
        }
    });

    it("A command whose contained run cannot be set up is proposed as a real one", async () => {
        const { asked } = await runCommand(new NorthError("containment-failed", "No room."));
        expect(asked[0]).to.include({ kind: "shell", needs: "No room" });
    });

    it("A command that declares a need for the network, or a background job, is not tried contained", async () => {
        for (const input of [{ network: true }, { background: true }, { command: "npm install" }]) {
            const { asked, ran } = await runCommand({}, { input });
            expect(asked).to.have.length(1);
            expect(ran.contained).to.equal(0);
            expect("tryContained" in (asked[0] ?? {})).to.equal(!("background" in input));
        }
    });

    it("In ask mode commands run contained, and the model gets what those with effects or needs printed", async () => {
        const reading = await runCommand({}, { mode: "ask" });
        expect(reading.result.data).to.include({ contained: true });
        const writing = await runCommand({ effects: [change("a")] }, { mode: "ask" });
        expect(writing.result.data).to.include({ stdout: "out\n", contained: true });
        expect(writing.result.data.effects).to.include({ code: "not-in-this-mode" });
        expect(writing.result.data.effects.message).to.contain("would have changed a.");
        const needing = await runCommand({ needs: "It needs the network" }, { mode: "ask" });
        expect(needing.result.data).to.include({ stdout: "out\n", contained: true });
        expect(needing.result.data.notes).to.deep.equal([
            "It needs the network.",
            "In ask mode a command runs only contained.",
        ]);
        const allowed = await runCommand(
            { needs: "It needs the network" },
            { mode: "ask", granting: { shellAutoApprove: true } }
        );
        expect(allowed.ran.real).to.equal(0);
        for (const { asked } of [reading, writing, needing]) expect(asked).to.deep.equal([]);
    });

    it("In print mode, where nobody can be asked, a command without effects runs all the same", async () => {
        const { result } = await runCommand({}, { approver: undefined });
        expect(result.data).to.include({ contained: true });
    });

    it("In print mode the model gets what a command printed contained, and what it needed", async () => {
        const { result, ran, events } = await runCommand(
            {
                needs: "It needs .env, which is hidden from contained commands",
                effects: [change("a")],
                notes: ["A note."],
            },
            { approver: undefined }
        );
        expect(result.data).to.include({ stdout: "out\n", exitCode: 0, contained: true });
        expect(result.data.notes).to.deep.equal([
            "A note.",
            "It needs .env, which is hidden from contained commands.",
            "Its changes were discarded: a.",
            "Not approved: print mode cannot ask. This is its contained run.",
        ]);
        expect(ran).to.deep.equal({ contained: 1, real: 0, kept: 0 });
        const settled = events.find((event) => event.type === "review-settled");
        expect(settled).to.include({
            status: "denied",
            needs: "It needs .env, which is hidden from contained commands",
        });
        expect(settled).to.include({ ranContained: true });
    });

    it("After a no to the real run, the model gets what the command printed contained", async () => {
        const { result, asked } = await runCommand(
            { needs: "It needs the network" },
            { answer: { kind: "deny", reason: "use the cache" } }
        );
        const [request] = asked;
        expect(request?.kind === "shell" && request.tried?.outcome).to.deep.equal(OUTCOME);
        expect(result.data).to.include({ stdout: "out\n", contained: true });
        expect(result.data.notes).to.deep.equal([
            "It needs the network.",
            "The user denied the real run.",
            "Reason: use the cache",
        ]);
    });

    it("In print mode even a command that is known to fail contained runs contained, and says why", async () => {
        const { result, ran } = await runCommand(
            { outcome: { ...OUTCOME, stderr: "could not resolve host\n", exitCode: 128 } },
            { approver: undefined, input: { command: "git push" } }
        );
        expect(result.data).to.include({ stderr: "could not resolve host\n", exitCode: 128 });
        expect(result.data.notes).to.deep.equal([
            "git push needs the network.",
            "Not approved: print mode cannot ask. This is its contained run.",
        ]);
        expect(ran).to.deep.equal({ contained: 1, real: 0, kept: 0 });
    });

    it("In ask mode even a command that is known to fail contained runs contained", async () => {
        const outcome = { ...OUTCOME, exitCode: 128 };
        const input = { command: "git push" };
        const failed = await runCommand({ outcome }, { mode: "ask", input });
        expect(failed.result.data).to.include({ stdout: "out\n", exitCode: 128 });
        expect(failed.result.data.notes).to.include("git push needs the network.");
        const passed = await runCommand({}, { mode: "ask", input });
        expect(passed.result.data).to.include({ contained: true });
        expect(passed.result.data).not.to.have.property("notes");
    });

    it("A job that nobody can allow does not run, and says why", async () => {
        const { result, ran } = await runCommand(
            {},
            { approver: undefined, input: { background: true } }
        );
        expect(result.error).to.deep.equal({
            code: "denied",
            message: "Not run: print mode cannot ask.",
            hint: "Runs in the background as a job.",
        });
        expect(ran).to.deep.equal({ contained: 0, real: 0, kept: 0 });
    });

    it("The model can ask for the real run, and its reason is in the question", async () => {
        const input = { real: "the test talks to the database on this machine" };
        const { asked, ran, result } = await runCommand({}, { answer: APPROVE, input });
        expect(asked[0]).to.include({ kind: "shell", wanted: input.real });
        expect(asked[0]).not.to.have.property("needs");
        expect(ran).to.deep.equal({ contained: 0, real: 1, kept: 0 });
        expect(result.data).not.to.have.property("contained");
        const unasked = await runCommand({}, { approver: undefined, input });
        expect(unasked.ran).to.deep.equal({ contained: 1, real: 0, kept: 0 });
        expect(unasked.result.data).to.include({ stdout: "out\n", contained: true });
        const reading = await runCommand({}, { mode: "ask", input });
        expect(reading.ran).to.include({ contained: 1, real: 0 });
    });

    it("The contained result can be taken instead of a real run", async () => {
        const answer = { kind: "contained" } as const;
        const { result, ran, summary, events } = await runCommand(
            { needs: "It needs the network", notes: ["A note."] },
            { answer }
        );
        expect(ran).to.deep.equal({ contained: 1, real: 0, kept: 0 });
        expect(result.data).to.include({ stdout: "out\n", contained: true });
        expect(result.data.notes).to.deep.equal(["A note.", "It needs the network.", TAKEN]);
        expect(summary).to.match(/^contained · exit 0 in /);
        const settled = events.find((event) => event.type === "review-settled");
        expect(settled).to.include({ status: "contained", decidedBy: "user" });
    });

    it("With a contained result that is whole, its changes are taken after their own review", async () => {
        const asked: string[] = [];
        const approver = {
            decide: async ({ kind }: ApprovalRequest): Promise<Decision> => {
                asked.push(kind);
                return kind === "shell" ? { kind: "contained" } : APPROVE;
            },
        };
        const contained = { needs: "It needs the network, it says", effects: [change("a")] };
        const whole = await runCommand({ ...contained, isWhole: true }, { approver });
        expect(asked).to.deep.equal(["shell", "write"]);
        expect(whole.applied).to.have.length(1);
        expect(whole.result.data.notes).to.include(TAKEN);
        const partial = await runCommand(contained, { approver });
        expect(asked).to.deep.equal(["shell", "write", "shell"]);
        expect(partial.applied).to.deep.equal([]);
        expect(partial.result.data.notes).to.include("Its changes were discarded: a.");
    });

    it("What the user tried contained reaches the model after a no, and can be taken", async () => {
        for (const kind of ["deny", "contained"] as const) {
            const approver = {
                decide: async (request: ApprovalRequest): Promise<Decision> => {
                    if (request.kind === "shell") await request.tryContained?.();
                    return { kind };
                },
            };
            const input = { command: "npm install" };
            const { result, ran, events } = await runCommand({}, { approver, input });
            expect(ran).to.include({ contained: 1, real: 0 });
            expect(result.data).to.include({ stdout: "out\n", contained: true });
            const said = kind === "deny" ? "The user denied the real run." : TAKEN;
            expect(result.data.notes).to.include(said);
            expect(events.filter(({ type }) => type === "tool-output-delta")).to.deep.equal([]);
        }
    });

    it("An answer that is meant for commands does not approve changes", async () => {
        const { applied, result } = await runCommand(
            { effects: [change("a")] },
            { answer: { kind: "contained" } }
        );
        expect(applied).to.deep.equal([]);
        expect(result.data.effects).to.include({ applied: "none", code: "rejected" });
    });

    it("What a stopped command had printed reaches the model", async () => {
        const stop = new AbortController();
        const run: ContainedRuns["run"] = async (_command, _folder, { onOutput }) => {
            onOutput?.({ stream: "stdout", text: "1 of 9 failed\n" });
            stop.abort(new TurnStopped("cancelled"));
            return new Promise(() => {});
        };
        const { result } = await runCommand({}, { containment: { run }, signal: stop.signal });
        expect(result.error.code).to.equal("cancelled");
        expect(result.error.hint).to.equal("It had printed:\n1 of 9 failed");
    });

    it("In plan mode the model is told to plan what a command would have changed", async () => {
        const { result } = await runCommand({ effects: [change("a")] }, { mode: "plan" });
        expect(JSON.stringify(result)).to.contain("Put the change into the plan.");
    });

    it("In print mode the model learns which files a command would have changed, and which one made it ask", async () => {
        const { result } = await runCommand(
            { effects: [change("fine.txt"), change(".github/workflows/ci.yml")] },
            { approver: undefined, runGrants: { acceptEdits: true, approveShell: false } }
        );
        expect(result.data.notes).to.deep.equal([
            "It would have changed fine.txt, .github/workflows/ci.yml.",
        ]);
        expect(result.data.effects.hint).to.equal(
            "Always asks: .github/workflows/ci.yml controls what other programs run."
        );
    });

    it("The user is told once that commands run contained", async () => {
        const { events } = await runCommand(
            {},
            { containment: { notice: async () => "Commands run contained first." } }
        );
        expect(events.filter(({ type }) => type === "notice")).to.have.length(1);
    });
});
