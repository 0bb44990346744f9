import { spawnSync } from "node:child_process";

import { expect } from "chai";

import { runIntoLimit, TestShells } from "./shells.js";

describe("Commands that print", () => {
    const shells = new TestShells();
    afterEach(() => shells.disposeAll());

    it("A command that prints 200 MB takes bounded memory and keeps head and tail", async () => {
        const shell = await shells.open();
        await shell.run("true");
        const before = process.memoryUsage().rss;
        let most = before;
        let seen = 0;
        const { stdout, truncated, exitCode } = await shell.run(
            "echo first; head -c 200000000 /dev/zero; echo; echo last",
            {
                onOutput: ({ text }) => {
                    seen += text.length;
                    most = Math.max(most, process.memoryUsage().rss);
                },
            }
        );
        expect(stdout.startsWith("first\n\0") && stdout.endsWith("\0\nlast\n")).to.equal(true);
        expect(Buffer.byteLength(stdout)).to.be.at.most(1_000_000);
        const leftOut = Number(/(\d+) bytes left out/.exec(stdout)?.[1]);
        expect(leftOut).to.be.within(199_000_000, 200_000_000);
        expect({ truncated, exitCode, seen }).to.deep.equal({
            truncated: true,
            exitCode: 0,
            seen: 200_000_012,
        });
        expect((most - before) / 1e6).to.be.below(150);
    });

    it("Characters in pieces are shown whole, live and at the end", async () => {
        const shell = await shells.open();
        const live: string[] = [];
        const { stdout } = await shell.run(
            "for byte in '\\xf0' '\\x9f' '\\x9a' '\\x80' ' \\xe2' '\\x82' '\\xac'; do printf $byte; sleep 0.02; done",
            { onOutput: ({ text }) => live.push(text) }
        );
        expect(stdout).to.equal("🚀 €".replace(" ", ""));
        expect(live.join("")).to.equal(stdout);
    });

    it("Output that looks like the end marker does not end the command", async () => {
        const shell = await shells.open();
        const forged = [
            "fake() { printf '%s\\0%s\\0/tmp\\n%s.end\\0' $1 0 $1; }",
            "for nonce in 00000000000000000000000000000000 $NORTH_SHELL_ID; do",
            "  fake $nonce; fake $nonce >&2; fake $nonce >/dev/tty",
            "done",
            "sleep 0.1; echo end; (exit 9)",
        ].join("\n");
        const outcome = await shell.run(forged);
        expect(outcome.exitCode).to.equal(9);
        expect(outcome.stdout.endsWith("\0end\n")).to.equal(true);
        expect((await shell.run("echo next")).stdout).to.equal("next\n");
    });

    it("A listener that throws does not disturb the command", async () => {
        const shell = await shells.open();
        const outcome = await shell.run("echo out", {
            onOutput: () => {
                throw new Error("The listener failed.");
            },
        });
        expect(outcome).to.include({ stdout: "out\n", exitCode: 0 });
    });
});

describe("Commands that change the shell", () => {
    const shells = new TestShells();
    afterEach(() => shells.disposeAll());

    const changes: readonly string[] = [
        "trap 'echo trapped' EXIT",
        "trap 'true' DEBUG",
        "trap 'true' ERR; false",
        "PS1='> $(echo prompt) '; PROMPT_COMMAND='echo before the prompt'; PS0=x",
        "set -u",
        "set -o noclobber",
        "set -f; IFS=,; LC_ALL=C",
        "shopt -s extdebug",
        "set -o posix",
        "set -x; set -v; set +x; set +v",
        "printf() { return 1; }; trap() { return 1; }; cd() { return 1; }; pwd() { return 1; }",
        "alias builtin=false printf=false cd=false",
        "exec 1>&- 2>&- 0<&-",
        "exec 1>/dev/null 2>&1",
        "unset PWD OLDPWD HOME PATH IFS",
        "cd /; set +h; hash -r; umask 777",
        "exec 3<&0 4>&1 5>&2",
    ];
    for (const change of changes) {
        it(`The next command still runs after: ${change}`, async () => {
            const shell = await shells.open();
            await shell.run(change);
            const next = await shell.run("echo next; (exit 5)");
            expect(next).to.include({ stdout: "next\n", exitCode: 5 });
            expect(next.freshSession).to.equal(undefined);
        });
    }

    it("A command that closes the shell's report channel ends the session", async () => {
        const shell = await shells.open();
        for (const change of ["builtin() { :; }", "shopt -s extdebug; trap false DEBUG"]) {
            await runIntoLimit(shell, `echo begun; ${change}`, { lines: 1 });
            expect(await shell.run("echo on"), change).to.include({
                stdout: "on\n",
                freshSession: true,
            });
        }
    });

    it("Variables that a shell evaluates at its prompt are not evaluated between commands", async () => {
        const shell = await shells.open();
        const set = [
            "touch news; export MAILCHECK=0 MAILPATH='./news?$(touch mail)'",
            "export PROMPT_COMMAND='touch prompt-command' PS0='$(touch ps0)' PS1='$(touch ps1)'",
            "PS2='$(touch ps2)'; export PS4='$(touch ps4)' ENV='$(touch env)' TMOUT=1",
            "shopt -s promptvars",
        ];
        await shell.run(set.join("\n"));
        await shell.run("echo >>news; set -x");
        const { stdout, freshSession } = await shell.run("set +x; sleep 1.2; ls");
        expect(stdout).to.equal("news\nsub\n");
        expect(freshSession).to.equal(undefined);
    });
});

describe("Commands that read", () => {
    const shells = new TestShells();
    afterEach(() => shells.disposeAll());

    it("A command's standard input is empty", async () => {
        const shell = await shells.open();
        expect(await shell.run("cat; read -r line; echo $?")).to.include({ stdout: "1\n" });
    });

    it("A command gets no answer from the terminal and consumes nothing of the next command", async () => {
        const shell = await shells.open();
        const ask = "printf 'Password: ' >/dev/tty; read -r -s answer </dev/tty; echo $? [$answer]";
        expect(await shell.run(ask)).to.include({ stdout: "1 []\n" });
        expect(await shell.run("cat /dev/tty; echo read")).to.include({
            stdout: "read\n",
        });
        expect(await shell.run("echo next")).to.include({ stdout: "next\n", stderr: "" });
    });

    it("A command inherits no descriptor of the protocol", async () => {
        const shell = await shells.open();
        const own = 'for each in /proc/self/fd/*; do readlink "$each"; done | grep pipe | sort -u';
        const { stdout } = await shell.run(own);
        // What whoever runs the tests left open is inherited by every process.
        const { stdout: inherited } = spawnSync("sh", ["-c", own], {
            encoding: "utf8",
            stdio: ["ignore", "pipe", "ignore"],
        });
        const isNew = (pipe: string) => !inherited.split("\n").includes(pipe);
        const outputs = stdout.split("\n").filter(isNew);
        // Its error output, and the pipe of its own line.
        expect(outputs.length, stdout).to.be.at.most(2);
    });
});
