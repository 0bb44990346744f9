import { expect } from "chai";

import { isRunning, pidsIn, TestShells, until } from "./shells.js";

describe("a command that is stopped", () => {
    const shells = new TestShells();
    afterEach(() => shells.disposeAll());

    it("leaves no process behind at its time limit, and the session as it was", async () => {
        const shell = await shells.open();
        await shell.run("kept=1; cd sub");
        const outcome = await shell.run(
            "sleep 600 & echo $!; sh -c 'sleep 600 & echo $!; echo $$; wait'; echo never",
            { timeoutMs: 300 }
        );
        const pids = pidsIn(outcome.stdout);
        expect(pids).to.have.lengthOf(3);
        expect(pids.filter(isRunning)).to.deep.equal([]);
        expect(outcome).to.include({ timedOut: true });
        expect(outcome.exitCode).to.be.oneOf([130, 143]);
        const next = await shell.run("echo $kept; pwd");
        expect(next.stdout).to.match(/^1\n.*\/sub\n$/);
        expect(next.freshSession).to.equal(undefined);
    });

    it("kills what ignores the signals, keeping the session", async () => {
        const shell = await shells.open();
        await shell.run("kept=1");
        const outcome = await shell.run(
            "sh -c 'trap \"\" INT TERM; (while :; do sleep 1; done) & echo $!; echo $$; wait'",
            { timeoutMs: 200 }
        );
        expect(pidsIn(outcome.stdout).filter(isRunning)).to.deep.equal([]);
        expect(outcome).to.include({ timedOut: true });
        expect(await shell.run("echo $kept")).to.include({ stdout: "1\n" });
    }).timeout(10_000);

    it("ends what left the command's session", async () => {
        const shell = await shells.open();
        const abort = new AbortController();
        const outcome = await shell.run(
            "setsid sh -c 'echo $$; exec sleep 600' & nohup sleep 600",
            {
                signal: abort.signal,
                onOutput: ({ text }) => void (/\d+\n/.test(text) && abort.abort()),
            }
        );
        const pids = pidsIn(outcome.stdout);
        expect(pids).to.have.lengthOf(1);
        expect(pids.filter(isRunning)).to.deep.equal([]);
    });

    it("spares the background jobs of earlier commands and what they start", async () => {
        const shell = await shells.open();
        const earlier = await shell.run(
            "(while :; do sleep 0.05; done) & echo $!; (setsid sleep 600 & echo $!)"
        );
        const pids = pidsIn(earlier.stdout);
        const outcome = await shell.run("sleep 600", { timeoutMs: 200 });
        expect(outcome.timedOut).to.equal(true);
        expect(pids.filter(isRunning)).to.deep.equal(pids);
    });

    it("gives up the session where the shell itself does not let go", async () => {
        const shell = await shells.open();
        const outcome = await shell.run("trap '' INT; while :; do :; done", { timeoutMs: 100 });
        expect(outcome).to.include({ timedOut: true, exitCode: 137 });
        expect(await shell.run("echo on")).to.include({ stdout: "on\n", freshSession: true });
    }).timeout(10_000);

    it("wakes a shell that was stopped", async () => {
        const shell = await shells.open();
        const outcome = await shell.run("kept=1; kill -STOP $$; echo never", { timeoutMs: 200 });
        expect(outcome).to.include({ timedOut: true });
        expect(await shell.run("echo $kept")).to.include({ stdout: "1\n" });
    }).timeout(10_000);

    it("ends when its signal aborts, with what it had printed", async () => {
        const shell = await shells.open();
        const abort = new AbortController();
        const outcome = await shell.run("echo $$ begun; sleep 600; echo never", {
            signal: abort.signal,
            onOutput: ({ text }) => void (text.includes("begun") && abort.abort()),
        });
        expect(outcome).to.include({ cancelled: true });
        expect(outcome.timedOut).to.equal(undefined);
        expect(outcome.stdout).to.match(/^\d+ begun\n$/);
        expect((await shell.run("echo $$ begun")).stdout).to.equal(outcome.stdout);
    });

    it("is never begun when it is cancelled in the queue, and does not wait for its turn", async () => {
        const shell = await shells.open();
        const first = new AbortController();
        const abort = new AbortController();
        const running = shell.run("sleep 600", { signal: first.signal });
        const waiting = shell.run("touch ran", { signal: abort.signal });
        abort.abort();
        expect(await waiting).to.include({ cancelled: true, stdout: "" });
        first.abort();
        await running;
        const late = await shell.run("touch ran", { signal: abort.signal });
        expect(late).to.include({ cancelled: true });
        expect((await shell.run("ls")).stdout).to.equal("sub\n");
    });

    it("ends a replaced shell and a foreground job of an earlier command", async () => {
        const shell = await shells.open();
        const { stdout } = await shell.run("sleep 600 & echo $!");
        expect(await shell.run("fg %1", { timeoutMs: 200 })).to.include({ timedOut: true });
        expect(pidsIn(stdout).filter(isRunning)).to.deep.equal([]);
        expect(await shell.run("exec sleep 600", { timeoutMs: 200 })).to.include({
            timedOut: true,
        });
        expect(await shell.run("true")).to.include({ freshSession: true });
    });
});

describe("disposing of the shell", () => {
    const shells = new TestShells();
    afterEach(() => shells.disposeAll());

    it("ends the running command and every job, however they hold on, and may be done twice", async () => {
        const shell = await shells.open();
        const { stdout } = await shell.run(
            [
                "sleep 600 & echo $!",
                "nohup sleep 600 >/dev/null 2>&1 & echo $!",
                "setsid sh -c 'echo $$; exec sleep 600' &",
                "(trap '' INT TERM HUP; while :; do sleep 1; done) & echo $!; disown",
                "sh -c 'kill -STOP $$' & echo $!; echo $$; sleep 0.2",
            ].join("\n")
        );
        const pids = pidsIn(stdout);
        expect(pids.filter(isRunning)).to.have.lengthOf(6);
        let hasBegun = false;
        const running = shell.run("echo begun; sleep 600", {
            onOutput: () => void (hasBegun = true),
        });
        await until("the command runs", () => hasBegun);
        const queued = shell.run("true").then(
            () => "ran",
            (error: { code: string }) => error.code
        );
        await Promise.all([shell.dispose(), shell.dispose()]);
        expect(pids.filter(isRunning)).to.deep.equal([]);
        expect(await running).to.include({ stdout: "begun\n", cancelled: true });
        expect(await queued).to.equal("shell-unavailable");
        await shell.dispose();
    });

    it("costs nothing where no command was run", async () => {
        const shell = await shells.open();
        await shell.dispose();
        await until("it is closed", () =>
            shell.run("true").then(
                () => false,
                (error: { code: string }) => error.code === "shell-unavailable"
            )
        );
    });
});
