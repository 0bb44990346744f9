import { expect } from "chai";

import { isRunning, pidsIn, TestShells, until } from "./shells.js";

describe("a command that ends the session", () => {
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
        it(`gives its code and leaves a fresh session: ${command}`, async () => {
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

    it("keeps what was printed before the end", async () => {
        const shell = await shells.open();
        const outcome = await shell.run("echo out; echo err >&2; exec sh -c 'echo more; exit 2'");
        expect(outcome).to.include({ stdout: "out\nmore\n", stderr: "err\n", exitCode: 2 });
    });

    it("survives a syntax error with its variables", async () => {
        const shell = await shells.open();
        await shell.run("kept=1");
        for (const command of ["echo 'open", "if true; then", "fi", "echo )"]) {
            const { exitCode, stderr } = await shell.run(command);
            expect(exitCode, command).to.equal(2);
            expect(stderr, command).to.match(/syntax error|unexpected EOF/);
        }
        expect(await shell.run("echo $kept")).to.include({ stdout: "1\n", stderr: "" });
    });

    it("ends its background jobs with the session", async () => {
        const shell = await shells.open();
        const { stdout } = await shell.run("sleep 600 & echo $!; exit 0");
        await shell.run("true");
        expect(pidsIn(stdout).filter(isRunning)).to.deep.equal([]);
    });

    it("starts anew in the announced folder where the session died between two commands", async () => {
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

describe("a background job", () => {
    const shells = new TestShells();
    afterEach(() => shells.disposeAll());

    it("does not hold up the answer, runs on, and may print without end", async () => {
        const shell = await shells.open();
        const started = await shell.run("(while :; do echo tick; sleep 0.01; done) & echo $!");
        const [pid = 0] = pidsIn(started.stdout.replaceAll("tick\n", ""));
        await shell.run("sleep 0.2");
        expect(isRunning(pid)).to.equal(true);
        const { stdout } = await shell.run("echo alone; jobs -r | grep -c while");
        expect(stdout).to.equal("alone\n1\n");
    });

    it("keeps writing where its command's answer was given long ago", async () => {
        const shell = await shells.open();
        await shell.run("(sleep 0.1; head -c 300000 /dev/zero; echo done >finished) &");
        await until(
            "the job got past a full pipe",
            async () => (await shell.run("cat finished 2>/dev/null")).stdout === "done\n"
        );
    });
});
