import { mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import type { OwnedShell } from "../../src/shell/open-shell.js";
import { PATIENCE_MS } from "../helpers/patience.js";
import { isRunning, makeRoot, TestShells, until } from "./shells.js";

/** Reads until a line is complete. */
async function nextOutput({ jobs }: OwnedShell, id = "1"): Promise<string> {
    let text = "";
    await until("the job prints", async () => {
        text += (await jobs.output(id)).output;
        return text.endsWith("\n");
    });
    return text;
}

describe("Background jobs", () => {
    const shells = new TestShells();
    afterEach(() => shells.disposeAll());

    it("A job runs beside other commands, and its output is read piece by piece", async () => {
        const shell = await shells.open();
        await shell.run("mkfifo go");
        const job = await shell.start("echo one; read -r line < go; echo $line >&2; exit 3");
        expect(job).to.include({ id: "1", state: "running" });
        expect(await nextOutput(shell)).to.equal("one\n");
        expect(await shell.jobs.output("1")).to.include({ output: "", state: "running" });
        await shell.run("echo two > go");
        expect(await shell.jobs.output("1", { waitMs: PATIENCE_MS })).to.include({
            output: "two\n",
            state: "exited",
            exitCode: 3,
            truncated: false,
        });
        expect(shell.jobs.recent("1")).to.equal("one\ntwo\n");
    });

    it("A job starts with the folder, variables and functions of the session and changes none", async () => {
        const shell = await shells.open();
        await shell.run("cd sub; export A=1; greet() { echo hi $A; }");
        await shell.start("greet; pwd; cd ..; A=2");
        await shell.start("pwd", { cwd: "." });
        const { output } = await shell.jobs.output("1", { waitMs: PATIENCE_MS });
        expect(output).to.equal(`hi 1\n${shell.cwd}\n`);
        expect((await shell.run("echo $A; pwd")).stdout).to.equal(`1\n${shell.cwd}\n`);
        const other = await shell.jobs.output("2", { waitMs: PATIENCE_MS });
        expect(other.output).to.equal(`${path.dirname(shell.cwd)}\n`);
    });

    it("The end of the session ends no job", async () => {
        const shell = await shells.open();
        await shell.start("echo $$; sleep 600");
        const pid = Number(await nextOutput(shell));
        await shell.run("exit 1");
        await shell.run("true");
        expect(isRunning(pid)).to.equal(true);
    });

    it("A stopped job takes everything with it that it started", async () => {
        const shell = await shells.open();
        await shell.start("(trap '' INT TERM; sleep 600 & echo $!; wait)");
        const pid = Number(await nextOutput(shell));
        const told: string[] = [];
        shell.jobs.watch(({ state }) => told.push(state));
        expect(await shell.jobs.stop("1")).to.include({ state: "stopped" });
        expect(isRunning(pid)).to.equal(false);
        expect(told).to.deep.equal(["stopped"]);
        expect(await shell.jobs.stop("1")).to.include({ state: "stopped" });
    });

    it("Jobs end with the shell and leave no folder", async () => {
        const runtimeFolder = path.join(await makeRoot(), "runtime");
        await mkdir(runtimeFolder);
        const shell = await shells.open({ runtimeFolder });
        await shell.start("echo $$; sleep 600");
        const pid = Number(await nextOutput(shell));
        await shell.dispose();
        expect(isRunning(pid)).to.equal(false);
        expect(await readdir(runtimeFolder)).to.deep.equal([]);
        const refused = await shell.start("true").catch(String);
        expect(refused).to.contain("The shell has been closed.");
    });

    it("The output of a job that nobody reads is bounded", async () => {
        const shell = await shells.open();
        await shell.start("head -c 5000000 /dev/zero | tr '\\0' 'x'; echo end");
        const { output, truncated } = await shell.jobs.output("1", { waitMs: PATIENCE_MS });
        expect(truncated).to.equal(true);
        expect(output.length).to.be.at.most(1_000_000);
        expect(output).to.match(/bytes left out[^]*xend\n$/);
        expect(shell.jobs.recent("1").length).to.equal(64 * 1024);
    });

    it("An unknown job is refused with those that there are, and too many are refused", async () => {
        const shell = await shells.open();
        expect(await shell.jobs.output("1").catch(String)).to.contain(
            "There is no job 1: none was started."
        );
        for (let job = 0; job < 16; job += 1) await shell.start("sleep 600");
        expect(await shell.start("true").catch(String)).to.contain("16 jobs are running.");
    });
});
