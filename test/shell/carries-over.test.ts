import { mkdir, rm, symlink } from "node:fs/promises";
import path from "node:path";

import { expect } from "chai";

import { TestShells } from "./shells.js";

describe("Persistent shell", () => {
    const shells = new TestShells();
    afterEach(() => shells.disposeAll());

    it("Directory, variables, functions, aliases and options carry over", async () => {
        const shell = await shells.open();
        const root = shell.cwd;
        await shell.run("cd sub; count=5; declare -a list=(a b); export KIND=x");
        await shell.run("greet() { echo hello $1; }; alias shout='echo LOUD'; set -o pipefail");
        const { stdout, freshSession } = await shell.run(
            'pwd; echo $count ${list[1]}; greet you; shout; sh -c "echo $KIND"; false | true; echo $?'
        );
        expect(stdout).to.equal(`${root}/sub\n5 b\nhello you\nLOUD\nx\n1\n`);
        expect(freshSession).to.equal(undefined);
        expect(shell.cwd).to.equal(path.join(root, "sub"));
    });

    it("stdout, stderr and the exit code are separate", async () => {
        const shell = await shells.open();
        const outcome = await shell.run("echo out; echo err >&2; (exit 7)");
        expect(outcome).to.include({ stdout: "out\n", stderr: "err\n", exitCode: 7 });
        expect(outcome).to.include({ truncated: false });
        expect(outcome.durationMs).to.be.a("number");
    });

    it("A command runs in its cwd, and the session returns, whatever the command does", async () => {
        const shell = await shells.open();
        const root = shell.cwd;
        await mkdir(path.join(root, "sub", "deep"));
        const inside = await shell.run("pwd; cd deep; kept=1", { cwd: "sub" });
        expect(inside.stdout).to.equal(`${root}/sub\n`);
        expect(shell.cwd).to.equal(root);
        expect((await shell.run("pwd; echo $kept")).stdout).to.equal(`${root}\n1\n`);
        const absolute = await shell.run("pwd; false", { cwd: path.join(root, "sub") });
        expect(absolute).to.include({ stdout: `${root}/sub\n`, exitCode: 1 });
    });

    it("A cwd outside the repository, also through a link, and one that is no folder are refused", async () => {
        const shell = await shells.open();
        await symlink("/tmp", path.join(shell.cwd, "out"));
        await symlink("sub", path.join(shell.cwd, "in"));
        const codeOf = async (cwd: string) =>
            shell.run("touch ran", { cwd }).then(
                () => "ran",
                (error: { code: string }) => error.code
            );
        expect(await codeOf("..")).to.equal("outside-repository");
        expect(await codeOf("/tmp")).to.equal("outside-repository");
        expect(await codeOf("out")).to.equal("outside-repository");
        expect(await codeOf("missing")).to.equal("not-found");
        await shell.run("touch file");
        expect(await codeOf("file")).to.equal("not-a-folder");
        expect(await shell.resolve("in")).to.equal(path.join(shell.cwd, "sub"));
        expect((await shell.run("ls")).stdout).to.equal("file\nin\nout\nsub\n");
    });

    it("The real folder is known, outside the repository and behind a false PWD", async () => {
        const shell = await shells.open();
        await shell.run("cd /; PWD=/nowhere");
        expect(shell.cwd).to.equal("/");
        expect(await shell.resolve()).to.equal("/");
        expect((await shell.run("pwd -P")).stdout).to.equal("/\n");
    });

    it("The session continues in the root with a notice when its folder was deleted", async () => {
        const shell = await shells.open();
        const root = shell.cwd;
        await shell.run("cd sub; rmdir ../sub");
        expect(shell.cwd).to.equal(root);
        const { stdout, stderr } = await shell.run("pwd");
        expect(stdout).to.equal(`${root}\n`);
        expect(stderr).to.equal(`North: ${root}/sub is gone; this ran in ${root}.\n`);
        expect((await shell.run("pwd")).stderr).to.equal("");
    });

    it("A folder that was deleted and recreated is found again", async () => {
        const shell = await shells.open();
        await shell.run("cd sub");
        await rm(shell.cwd, { recursive: true });
        await mkdir(path.join(await shell.resolve("."), "sub"));
        expect((await shell.run("touch here && ls")).stdout).to.equal("here\n");
    });

    it("Quotes, newlines, here-documents, comments and a trailing backslash are taken literally", async () => {
        const shell = await shells.open();
        const cases: readonly (readonly [string, string])[] = [
            ["cat <<'END'\n$x 'y' \"z\"\nEND", "$x 'y' \"z\"\n"],
            ["echo $'a\\tb' \"it's\" 'say \"hi\"'", 'a\tb it\'s say "hi"\n'],
            ["echo one # not me", "one\n"],
            ["echo a \\", "a\n"],
            ["for x in 1 2; do\n  echo $x\ndone", "1\n2\n"],
            ["echo hi! !! !$", "hi! !! !$\n"],
            [`echo ${"x".repeat(200_000)} | wc -c`, "200001\n"],
        ];
        for (const [command, stdout] of cases) {
            expect(await shell.run(command), command.slice(0, 80)).to.include({
                stdout,
                stderr: "",
                exitCode: 0,
            });
        }
    });

    it("Concurrent commands run one after the other", async () => {
        const shell = await shells.open();
        const commands = ["n=1; sleep 0.1; echo $n", "n=2; echo $n", "echo $n$n"];
        const outcomes = await Promise.all(commands.map((command) => shell.run(command)));
        expect(outcomes.map(({ stdout }) => stdout)).to.deep.equal(["1\n", "2\n", "22\n"]);
    });
});
