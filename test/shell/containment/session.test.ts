import { mkdirSync } from "node:fs";
import path from "node:path";

import { expect } from "chai";

import { TestShells } from "../shells.js";

describe("the session and contained commands", () => {
    const shells = new TestShells();
    afterEach(() => shells.disposeAll());

    it("Before the first command a contained one starts with the session's environment, without a session", async () => {
        const shell = await shells.open({
            environment: { PATH: "/bin", FOO: "1", KEY: "x" },
            withheldVariables: ["KEY"],
        });
        const state = await shell.state();
        expect(state.folder).to.equal(shell.cwd);
        expect(state.variables.get("FOO")).to.equal("1");
        expect(state.variables.has("KEY")).to.equal(false);
    });

    it("Folder, exported variables, functions and aliases of the session are handed over", async () => {
        const shell = await shells.open();
        await shell.run(
            "cd sub; export FOO=$'a\\nb'; greet() { echo hi; }; alias ll='ls -l'; set -u"
        );
        const { folder, variables, definitions } = await shell.state();
        expect(path.basename(folder)).to.equal("sub");
        expect(variables.get("FOO")).to.equal("a\nb");
        expect(definitions).to.contain("greet ()").and.to.contain("alias ll='ls -l'");
        expect(definitions).to.contain("set -u");
    });

    it("Reading the state leaves no trace in the session", async () => {
        const shell = await shells.open();
        const before = await shell.run("set; pwd");
        await shell.state();
        const after = await shell.run("set; pwd");
        const strip = (text: string) =>
            text.replace(
                /^(?:_|BASH_LINENO|LINENO|RANDOM|SECONDS|EPOCH\w*|BASHPID|SRANDOM|PIPESTATUS)=.*$/gm,
                ""
            );
        expect(strip(after.stdout)).to.equal(strip(before.stdout));
    });

    it("The session takes over folder and exported variables of a contained command", async () => {
        const shell = await shells.open();
        await shell.run("export OLD=1");
        const kept = shell.adopt(
            path.join(shell.cwd, "sub"),
            new Map([
                ["FOO", "it's"],
                ["OLD", undefined],
            ])
        );
        expect(kept).to.deep.equal([]);
        const { stdout } = await shell.run('basename "$PWD"; echo "$FOO" "${OLD-gone}"');
        expect(stdout).to.equal("sub\nit's gone\n");
    });

    it("A variable that steers other programs holds for contained commands alone", async () => {
        const shell = await shells.open();
        const held = shell.adopt(
            shell.cwd,
            new Map([
                ["LD_PRELOAD", "/tmp/evil.so"],
                ["PATH", "/tmp/evil"],
                ["GIT_SSH_COMMAND", "evil"],
            ])
        );
        expect(held).to.deep.equal(["LD_PRELOAD", "PATH", "GIT_SSH_COMMAND"]);
        const { stdout } = await shell.run('echo "$LD_PRELOAD$GIT_SSH_COMMAND" "$PATH"');
        expect(stdout).not.to.contain("evil");
        const { variables } = await shell.state();
        expect(variables.get("PATH")).to.equal("/tmp/evil");
    });

    it("A folder that only the contained command saw is not taken over", async () => {
        const shell = await shells.open();
        const before = shell.cwd;
        shell.adopt("/nowhere/at/all", new Map());
        expect(shell.cwd).to.equal(before);
        mkdirSync(path.join(before, "real"));
        shell.adopt(path.join(before, "real"), new Map());
        expect(shell.cwd).to.equal(path.join(before, "real"));
    });
});
