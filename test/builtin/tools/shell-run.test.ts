import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

import { jobOutput } from "../../../src/builtin/tools/job-output.js";
import { jobStop } from "../../../src/builtin/tools/job-stop.js";
import { shellRun, type ShellRunData } from "../../../src/builtin/tools/shell-run.js";
import type { ToolResult } from "../../../src/plugin/index.js";
import { throttled } from "../../../src/builtin/tools/running/throttled-progress.js";
import { openShell, type OwnedShell } from "../../../src/shell/open-shell.js";
import { dataOf, errorOf, makeToolContext } from "../../helpers/tool-context.js";

const ranOf = (result: ToolResult) => dataOf(result) as ShellRunData;

describe("shell_run", () => {
    const shells: OwnedShell[] = [];
    afterEach(() => Promise.all(shells.splice(0).map((shell) => shell.dispose())));

    async function contextWithShell(signal?: AbortSignal) {
        const context = await makeToolContext({ signal });
        const shell = openShell({ root: context.root, withheldVariables: [] });
        shells.push(shell);
        return { ...context, shell };
    }

    function data(change: Partial<ShellRunData> = {}): ShellRunData {
        const usual = { stdout: "", stderr: "", exitCode: 0, durationMs: 2140, truncated: false };
        return { ...usual, ...change };
    }

    const lines = (count: number) =>
        Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

    it("A failed command is data with its exit code", async () => {
        const context = await contextWithShell();
        const result = await shellRun.execute(
            { command: "echo out; echo err >&2; exit 3" },
            context
        );
        const { durationMs, ...rest } = ranOf(result);
        expect(rest).to.deep.equal({
            stdout: "out\n",
            stderr: "err\n",
            exitCode: 3,
            truncated: false,
        });
        expect(durationMs).to.be.a("number");
        expect(result).to.include({ display: "out\nerr" });
    });

    it("The model and the user read what a terminal would show", async () => {
        const context = await contextWithShell();
        const command = String.raw`printf '\033[32m1%%\r50%%\r100%%\033[0m\nend\n'; printf '\033[31mred\033[m\n' >&2`;
        const result = await shellRun.execute({ command }, context);
        expect(ranOf(result)).to.include({ stdout: "100%\nend\n", stderr: "red\n" });
        expect(result).to.include({ display: "100%\nend\nred" });
    });

    it("The model is told that the session is fresh", async () => {
        const context = await contextWithShell();
        await shellRun.execute({ command: "exit 1" }, context);
        const { note } = ranOf(await shellRun.execute({ command: "true" }, context));
        expect(note).to.match(/was restarted/);
    });

    it("A command runs in the given folder and within the given time", async () => {
        const context = await contextWithShell();
        await shellRun.execute({ command: "mkdir a" }, context);
        const inFolder = await shellRun.execute({ command: "pwd", cwd: "a" }, context);
        expect(ranOf(inFolder).stdout).to.equal(`${context.shell.cwd}/a\n`);
        const limited = await shellRun.execute({ command: "sleep 60", timeoutMs: 100 }, context);
        expect(ranOf(limited).timedOut).to.equal(true);
    });

    it("Output is shown as it arrives", async () => {
        const shown: string[] = [];
        const shell = await contextWithShell();
        const progress = (text: string): void => {
            shown.push(text);
            writeFileSync(path.join(shell.root, "go"), "");
        };
        const command = "echo one; until [ -e go ]; do sleep 0.05; done; echo two >&2";
        await shellRun.execute({ command }, { ...shell, progress });
        expect(shown).to.deep.equal(["one\n", "two\n"]);
    });

    it("A command cancelled by the user fails as cancelled", async () => {
        const abort = new AbortController();
        const context = await contextWithShell(abort.signal);
        abort.abort();
        const result = await shellRun.execute({ command: "sleep 60" }, context);
        expect(errorOf(result).code).to.equal("cancelled");
    });

    it("Approval is requested for exactly the command and its folder", () => {
        const command = "  npm test &&\n  echo 'done'  ";
        expect(shellRun.command({ command, timeoutMs: 5 })).to.deep.equal({ command });
        expect(shellRun.command({ command, cwd: "a" })).to.deep.equal({ command, cwd: "a" });
    });

    it("One line says what runs and how it ended", () => {
        expect(shellRun.intent({ command: "npm test" })).to.equal("Running npm test");
        expect(shellRun.intent({ command: "a \\\nb", cwd: "x" })).to.equal("Running a \\ … in x");
        expect(shellRun.intent({ command: "x".repeat(500) })).to.have.lengthOf.below(100);
        const input = { command: "npm test" };
        expect(shellRun.summary?.(data({ exitCode: 1 }), input)).to.equal("exit 1 in 2.1s");
        expect(shellRun.summary?.(data({ timedOut: true }), input)).to.equal(
            "time limit after 2.1s"
        );
    });

    it("The digest holds the first 60 and last 120 lines of each output", () => {
        const long = data({ stdout: lines(500), stderr: lines(200), exitCode: 2 });
        const digest = shellRun.digest?.(long, { command: "x" });
        const { stdout, stderr, exitCode } = JSON.parse(
            JSON.stringify(digest?.data)
        ) as ShellRunData;
        expect(exitCode).to.equal(2);
        const kept = stdout.split("\n");
        expect(kept.slice(0, 60).join("\n")).to.equal(lines(60).trimEnd());
        expect(kept[60]).to.equal("[... lines 62-381 left out ...]");
        expect(kept.slice(61)).to.deep.equal(lines(500).split("\n").slice(380));
        expect(stderr).to.equal(lines(200));
        expect(digest?.note).to.equal("stdout: lines 62-381 left out.");
    });

    it("Short output is sent unchanged, and long lines are cut", () => {
        expect(shellRun.digest?.(data({ stdout: lines(200) }), { command: "x" })).to.equal(
            undefined
        );
        const digest = shellRun.digest?.(data({ stderr: "x".repeat(9000) }), { command: "x" });
        const { stderr } = JSON.parse(JSON.stringify(digest?.data)) as ShellRunData;
        expect(stderr).to.equal(`${"x".repeat(1000)}[... 8000 characters]`);
        expect(digest?.note).to.equal("stderr: lines cut to 1000 characters.");
    });

    it("A job whose command puts itself in the background is refused without a question", () => {
        const background = true;
        const plan = shellRun.command({ command: "a && b", background });
        expect(plan).to.deep.equal({ command: "a && b", background });
        expect(() => shellRun.command({ command: "npm start & ", background })).to.throw(
            "the job would end at once"
        );
    });

    it("A job answers with its id, and its tools read it and stop it", async () => {
        const { shell, ...context } = await contextWithShell();
        const job = { ...context, shell, jobs: shell.jobs };
        const command = "echo up; read <> <(:)";
        const started = await shellRun.execute({ command, background: true }, job);
        expect(started).to.deep.equal({ ok: true, data: { job: "1" } });
        expect(shellRun.render?.({ job: "1" }, { command })).to.contain("job 1 is running");
        let output = "";
        while (output === "") {
            const read = dataOf(await jobOutput.execute({ id: "1", waitMs: 20 }, job));
            output = read.output;
            expect(jobOutput.render?.(read, { id: "1" })).to.match(/^\[job 1: running\]/);
        }
        expect(output).to.equal("up\n");
        const stopped = dataOf(await jobStop.execute({ id: "1" }, job));
        expect(jobStop.render?.(stopped, { id: "1" })).to.equal("[job 1: stopped]");
        const again = await jobOutput.execute({ id: "2" }, job).catch((error: Error) => error);
        expect(String(again)).to.contain("There is no job 2: the jobs are 1.");
    });

    it("Long job output is shortened like that of a command", () => {
        const job = { id: "1", command: "x", startedAt: 0, state: "running" } as const;
        const digest = jobOutput.digest?.(
            { ...job, output: lines(500), truncated: false },
            { id: "1" }
        );
        expect(digest?.note).to.equal("output: lines 66-385 left out.");
    });
});

describe("Live output", () => {
    it("Live output is throttled and never loses slow output", () => {
        const shown: string[] = [];
        let now = 0;
        const show = throttled(
            (text) => shown.push(text),
            () => now
        );
        for (let piece = 0; piece < 100; piece++) show("x".repeat(1000));
        expect(shown.join("")).to.have.lengthOf(8000);
        now = 100;
        show("later");
        expect(shown.at(-1)).to.equal("later");
    });
});
