import { expect } from "chai";

import { isRunning, pidsIn, TestShells, until } from "./shells.js";

describe("Commands that end the session", () => {
    const shells = new TestShells();
    afterEach(() => shells.disposeAll());

    const endings: readonly (readonly [string, number])[] = [
        ["exit 3", 3],
        ["exec sh -c 'echo replaced; exit 4'", 4],
        ["set -e; echo before; false; echo never", 1],
        ["kill -9 $$", 137],
        ["kill -HUP $$; sleep 5", 129],
        ["exec 255<&-; exit 6", 6],
    ];
    for (const [command, exitCode] of endings) {
        it(`The exit code is returned, and the next session is fresh: ${command}`, async () => {
            const shell = await shells.open();
            await shell.run("kept=1; cd sub; cd ..");
            const outcome = await shell.run(command);
            expect(outcome.exitCode).to.equal(exitCode);
            expect(outcome.freshSession).to.equal(undefined);
            const next = await shell.run("echo [$kept]");
            expect(next).to.include({ stdout: "[]\n", exitCode: 0, freshSession: true });
            expect((await shell.run("true")).freshSession).to.equal(undefined);
        });
    }

    it("Output printed before the end is kept", async () => {
        const shell = await shells.open();
        const outcome = await shell.run("echo out; echo err >&2; exec sh -c 'echo more; exit 2'");
        expect(outcome).to.include({ stdout: "out\nmore\n", stderr: "err\n", exitCode: 2 });
    });

    it("The session and its variables survive a syntax error", async () => {
        const shell = await shells.open();
        await shell.run("kept=1");
        for (const command of ["echo 'open", "if true; then", "fi", "echo )"]) {
            const { exitCode, stderr } = await shell.run(command);
            expect(exitCode, command).to.equal(2);
            expect(stderr, command).to.match(/syntax error|unexpected EOF/);
        }
        expect(await shell.run("echo $kept")).to.include({ stdout: "1\n", stderr: "" });
    });

    it("Background jobs end with their session", async () => {
        const shell = await shells.open();
        const { stdout } = await shell.run("sleep 600 & echo $!; exit 0");
        await shell.run("true");
        expect(pidsIn(stdout).filter(isRunning)).to.deep.equal([]);
    });

    it("A session that died between two commands restarts in the announced folder", async () => {
        const shell = await shells.open();
        const { stdout } = await shell.run("cd sub; echo $$");
        const [pid = 0] = pidsIn(stdout);
        process.kill(pid, "SIGKILL");
        await until("the shell is gone", () => !isRunning(pid));
        const announced = shell.cwd;
        const next = await shell.run("pwd");
        expect(next).to.include({ stdout: `${announced}\n`, freshSession: true });
    });
});

describe("Background jobs", () => {
    const shells = new TestShells();
    afterEach(() => shells.disposeAll());

    it("A background job does not delay the result, keeps running and may print without end", async () => {
        const shell = await shells.open();
        const started = await shell.run("(while :; do echo tick; sleep 0.01; done) & echo $!");
        const [pid = 0] = pidsIn(started.stdout.replaceAll("tick\n", ""));
        await shell.run("sleep 0.2");
        expect(isRunning(pid)).to.equal(true);
        const { stdout } = await shell.run("echo alone; jobs -r | grep -c while");
        expect(stdout).to.equal("alone\n1\n");
    });

    it("A background job keeps writing long after its command's result", async () => {
        const shell = await shells.open();
        await shell.run("(sleep 0.1; head -c 300000 /dev/zero; echo done >finished) &");
        await until(
            "the job got past a full pipe",
            async () => (await shell.run("cat finished 2>/dev/null")).stdout === "done\n"
        );
    });
});
