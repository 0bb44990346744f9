import { expect } from "chai";

import { isRunning, pidsIn, runIntoLimit, TestShells, until } from "./shells.js";

describe("Stopped commands", () => {
    const shells = new TestShells();
    afterEach(() => shells.disposeAll());

    it("A timeout leaves no process behind and keeps the session", async () => {
        const shell = await shells.open();
        await shell.run("kept=1; cd sub");
        const outcome = await runIntoLimit(
            shell,
            "sleep 600 & echo $!; sh -c 'sleep 600 & echo $!; echo $$; wait'; echo never",
            { lines: 3 }
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

    it("A command that ignores signals is killed, and the session is kept", async () => {
        const shell = await shells.open();
        await shell.run("kept=1");
        const outcome = await runIntoLimit(
            shell,
            "sh -c 'trap \"\" INT TERM; (while :; do sleep 1; done) & echo $!; echo $$; wait'",
            { lines: 2 }
        );
        expect(pidsIn(outcome.stdout).filter(isRunning)).to.deep.equal([]);
        expect(outcome).to.include({ timedOut: true });
        expect(await shell.run("echo $kept")).to.include({ stdout: "1\n" });
    });

    it("A process that left the command's session is ended", async () => {
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

    it("Background jobs of earlier commands and their children survive", async () => {
        const shell = await shells.open();
        const earlier = await shell.run(
            "(while :; do sleep 0.05; done) & echo $!; (setsid sleep 600 & echo $!)"
        );
        const pids = pidsIn(earlier.stdout);
        const outcome = await shell.run("sleep 600", { timeoutMs: 200 });
        expect(outcome.timedOut).to.equal(true);
        expect(pids.filter(isRunning)).to.deep.equal(pids);
    });

    it("The session is given up when the shell itself does not respond", async () => {
        const shell = await shells.open();
        const command = "trap '' INT; echo deaf; while :; do :; done";
        const outcome = await runIntoLimit(shell, command, { lines: 1 });
        expect(outcome).to.include({ timedOut: true, exitCode: 137 });
        expect(await shell.run("echo on")).to.include({ stdout: "on\n", freshSession: true });
    });

    it("A stopped shell is woken", async () => {
        const shell = await shells.open();
        const command = "kept=1; echo kept; kill -STOP $$; echo never";
        const outcome = await runIntoLimit(shell, command, { lines: 1 });
        expect(outcome).to.include({ stdout: "kept\n", timedOut: true });
        expect(await shell.run("echo $kept")).to.include({ stdout: "1\n" });
    });

    it("An abort ends the command and keeps what it printed", async () => {
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

    it("A process that the shell starts only after an abort is ended too, and the shell stays", async () => {
        const shell = await shells.open();
        const abort = new AbortController();
        const slow = "mkfifo f; trap '' INT; echo $$ begun; read -t 0.3 <>f; trap - INT; sleep 600";
        const outcome = await shell.run(slow, {
            signal: abort.signal,
            onOutput: ({ text }) => void (text.includes("begun") && abort.abort()),
        });
        expect(outcome).to.include({ cancelled: true });
        expect((await shell.run("echo $$ begun")).stdout).to.equal(outcome.stdout);
    });

    it("A command cancelled in the queue never starts and does not wait for its turn", async () => {
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

    it("A replaced shell and an earlier command's foreground job are ended", async () => {
        const shell = await shells.open();
        const { stdout } = await shell.run("sleep 600 & echo $!");
        expect(await runIntoLimit(shell, "fg %1", { lines: 1 })).to.include({ timedOut: true });
        expect(pidsIn(stdout).filter(isRunning)).to.deep.equal([]);
        const replaced = "echo replaced; exec sleep 600";
        expect(await runIntoLimit(shell, replaced, { lines: 1 })).to.include({ timedOut: true });
        expect(await shell.run("true")).to.include({ freshSession: true });
    });
});

describe("Disposing of the shell", () => {
    const shells = new TestShells();
    afterEach(() => shells.disposeAll());

    it("Disposing ends the running command and every job, and may be repeated", async () => {
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

    it("Disposing costs nothing when no command ran", async () => {
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
