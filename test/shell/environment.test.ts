import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";

import { expect } from "chai";

import { shellEnvironment } from "../../src/shell/environment.js";
import { makeRoot, TestShells } from "./shells.js";

describe("Environment of commands", () => {
    const shells = new TestShells();
    afterEach(() => shells.disposeAll());

    it("No session, old or fresh, has a provider's key", async () => {
        const shell = await shells.open({
            withheldVariables: ["ANTHROPIC_API_KEY", "OTHER_KEY"],
            environment: {
                ...process.env,
                ANTHROPIC_API_KEY: "sk-first",
                OTHER_KEY: "sk-second",
                KEPT: "kept",
            },
        });
        const look = "env; declare -p; cat /proc/$$/environ 2>/dev/null | tr '\\0' '\\n'";
        for (const command of [look, "exit 1", look]) {
            const { stdout, exitCode } = await shell.run(command);
            if (exitCode === 1) continue;
            expect(stdout).to.include("KEPT=kept");
            expect(stdout).to.not.match(/sk-first|sk-second/);
        }
    });

    it("Commands get no colour, no pager and no prompts, whatever North's own environment says", async () => {
        const shell = await shells.open({
            environment: {
                PATH: process.env.PATH,
                FORCE_COLOR: "1",
                TERM: "xterm-256color",
                PAGER: "less",
                PROMPT_COMMAND: "exit 1",
                SHELLOPTS: "errexit",
                TMOUT: "1",
            },
        });
        const { stdout } = await shell.run("env | sort");
        for (const line of ["TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat"]) {
            expect(stdout.split("\n")).to.include(line);
        }

        expect(stdout).to.include("GIT_TERMINAL_PROMPT=0");
        expect(stdout).to.not.match(/FORCE_COLOR|HISTFILE|TMOUT|xterm/);
        expect((await shell.run("false; echo on")).stdout).to.equal("on\n");
    });

    it("Neither BASH_ENV nor functions in the environment of North change what commands do", async () => {
        const folder = await makeRoot();
        await writeFile(path.join(folder, "env.sh"), "export FROM_BASH_ENV=1\n");
        const shell = await shells.open({
            environment: {
                ...process.env,
                BASH_ENV: path.join(folder, "env.sh"),
                ENV: path.join(folder, "env.sh"),
                "BASH_FUNC_ls%%": "() { echo replaced; }",
            },
        });
        const { stdout } = await shell.run("echo [$FROM_BASH_ENV]; ls -d /; bash -c 'ls -d /'");
        expect(stdout).to.equal("[]\n/\n/\n");
        // Not every machine has an sh that passes functions on.
        const passed = shellEnvironment(
            { "BASH_FUNC_ls%%": "() { echo replaced; }", A: "1" },
            [],
            ""
        );
        expect(Object.keys(passed)).to.include("A").and.not.include("BASH_FUNC_ls%%");
    });

    it("The user's own startup files and history stay separate from the session", async () => {
        const home = await makeRoot();
        await writeFile(path.join(home, ".bashrc"), "export FROM_STARTUP_FILE=1\n");
        const shell = await shells.open({ environment: { ...process.env, HOME: home } });
        expect((await shell.run("echo [$FROM_STARTUP_FILE]")).stdout).to.equal("[]\n");
        await shell.run("exit");
        await shell.run("ls -A ~ > found; true");
        expect((await shell.run("cat found")).stdout).to.equal(".bashrc\nsub\n");
    });
});

describe("Machine without bash", () => {
    const shells = new TestShells();
    afterEach(() => shells.disposeAll());

    it("Without bash the error says what to install, and commands run once it is there", async () => {
        const folder = await makeRoot();
        const bin = path.join(folder, "bin");
        await mkdir(bin);
        await writeFile(path.join(bin, "bash"), "not executable");
        const shell = await shells.open({
            environment: { PATH: `${bin}:relative`, HOME: folder },
        });
        const error = await shell.run("true").then(
            () => undefined,
            (rejection: { code: string; nextSteps: string[] }) => rejection
        );
        expect(error?.code).to.equal("shell-unavailable");
        expect(error?.nextSteps[0]).to.match(/Install bash/);
    });

    it("A bash that does not start is reported", async () => {
        const folder = await makeRoot();
        const bin = path.join(folder, "bin");
        await mkdir(bin);
        await writeFile(path.join(bin, "bash"), "#!/bin/sh\nexit 3\n");
        await chmod(path.join(bin, "bash"), 0o755);
        await symlink("/usr/bin/mkfifo", path.join(bin, "mkfifo"));
        const shell = await shells.open({
            environment: { PATH: `${bin}:${process.env.PATH}`, HOME: folder },
        });
        const error = await shell.run("true").then(
            () => undefined,
            (rejection: { code: string }) => rejection
        );
        expect(error?.code).to.equal("shell-unavailable");
    });
});
