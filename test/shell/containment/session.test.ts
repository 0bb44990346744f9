import { rmdirSync, symlinkSync } from "node:fs";
import path from "node:path";

import { expect } from "chai";
import fc from "fast-check";

import { PATIENCE_MS } from "../../helpers/patience.js";
import { sampledRuns } from "../../helpers/sample.js";
import { runIntoLimit, TestShells } from "../shells.js";

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

    it("A shell counts as changed once commands leave a function, an alias or a variable", async () => {
        const isChanged = async (...commands: string[]) => {
            const shell = await shells.open();
            for (const command of commands) await shell.run(command);
            return (await shell.state()).isChanged;
        };
        expect(await isChanged()).to.equal(false);
        expect(await isChanged("cd sub; x=1; set -eu; shopt -s globstar; ls")).to.equal(false);
        for (const command of ["npm() { :; }", "alias npm=true", "export PATH=/tmp:$PATH"]) {
            expect(await isChanged(command), command).to.equal(true);
        }
        expect(await isChanged("export FOO=1", "unset FOO")).to.equal(false);
    });

    it("What contained commands export changes the shell of contained ones, not that of North's own", async () => {
        const shell = await shells.open();
        shell.keepFromContained(new Map([["PATH", "/tmp"]]), undefined);
        expect((await shell.state()).isChanged).to.equal(true);
        expect((await shell.state("real")).isChanged).to.equal(false);
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

    it("The user's own command is not affected by a folder that only contained commands entered", async () => {
        const shell = await shells.open();
        const folder = path.join(shell.cwd, "sub");
        shell.keepFromContained(new Map(), folder);
        rmdirSync(folder);
        for (let times = 0; times < 2; times++) {
            const { stderr } = await shell.run("pwd", { isOwn: true });
            expect(stderr).to.equal("");
        }
        expect((await shell.run("pwd")).stderr).to.contain("sub is gone; this ran in");
    });

    it("What a contained command exports reaches contained commands, and no command that runs for real", async () => {
        const shell = await shells.open();
        await shell.run("export OLD=1");
        await shell.state();
        const left: readonly (readonly [string, string | undefined])[] = [
            ["PIP_INDEX_URL", "http://evil.example/"],
            ["TAR_OPTIONS", "--checkpoint=1"],
            ["MAILPATH", "./news?$(touch mail)"],
            ["PROMPT_COMMAND", "touch prompt"],
            ["BASH_ENV", "./evil"],
            ["OLD", undefined],
        ];
        shell.keepFromContained(new Map(left), undefined);
        const names = left.map(([name]) => name).filter((name) => name !== "OLD");
        const look = `printenv ${names.join(" ")}; printenv OLD; ls`;
        for (const isOwn of [false, true]) {
            expect((await shell.run(look, { isOwn })).stdout).to.equal("1\nsub\n");
        }
        const { id } = await shell.start(look);
        const { output } = await shell.jobs.output(id, { waitMs: PATIENCE_MS });
        expect(output).to.equal("1\nsub\n");
        const { variables } = await shell.state();
        expect(variables.get("PIP_INDEX_URL")).to.equal("http://evil.example/");
        expect(variables.has("OLD")).to.equal(false);
    });

    it("Approved variables are set for that one command, and what it set itself stays", async () => {
        const shell = await shells.open();
        await shell.run("export KEPT=real CHANGED=real; plain=1");
        await shell.state();
        shell.keepFromContained(
            new Map([
                ["KEPT", "it's"],
                ["CHANGED", "contained"],
                ["NEW", "a\nb "],
            ]),
            undefined
        );
        const variables = await shell.setByContained();
        expect([...variables.keys()]).to.deep.equal(["KEPT", "CHANGED", "NEW"]);
        const look = 'printf "[%s]" "$KEPT" "$CHANGED" "${NEW-none}"';
        const first = await shell.run(`${look}; export CHANGED=mine; (exit 3)`, { variables });
        expect(first).to.include({ stdout: "[it's][contained][a\nb ]", exitCode: 3 });
        expect((await shell.run(look)).stdout).to.equal("[real][mine][none]");
        expect([...(await shell.setByContained()).keys()]).to.deep.equal(["KEPT", "NEW"]);
        const { id } = await shell.start(look, { variables });
        const { output } = await shell.jobs.output(id, { waitMs: PATIENCE_MS });
        expect(output).to.equal("[it's][contained][a\nb ]");
    });

    it("Approved variables end with a command that is stopped or ends the session", async () => {
        const shell = await shells.open();
        shell.keepFromContained(new Map([["FOO", "contained"]]), undefined);
        const variables = await shell.setByContained();
        const stopped = await runIntoLimit(shell, "echo $FOO; sleep 600", { variables, lines: 1 });
        expect(stopped).to.include({ stdout: "contained\n", timedOut: true });
        expect((await shell.run("echo [$FOO]")).stdout).to.equal("[]\n");
        const ended = await shell.run("echo $FOO; exit 4", { variables });
        expect(ended).to.include({ stdout: "contained\n", exitCode: 4 });
        expect((await shell.run("echo [$FOO]")).stdout).to.equal("[]\n");
    });

    it("Whatever contained commands export, a real one has exactly what was approved for it", async () => {
        const shell = await shells.open();
        const look = (names: readonly string[]) =>
            `for name in ${names.join(" ")}; do printf '%s\\0' "\${!name-}"; done`;
        const name = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,12}$/).map((text) => `LEFT_${text}`);
        const value = fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 40 });
        const text = value.map((each) => `${each.replaceAll("\0", "")}.`);
        await fc.assert(
            fc.asyncProperty(
                fc.dictionary(name, text, { minKeys: 1, maxKeys: 4 }),
                async (left) => {
                    const changes = new Map(Object.entries(left));
                    shell.keepFromContained(changes, undefined);
                    const names = [...changes.keys()];
                    const nothing = names.map(() => "\0").join("");
                    expect((await shell.run(look(names))).stdout).to.equal(nothing);
                    const approved = await shell.run(look(names), { variables: changes });
                    expect(approved.stdout).to.equal(
                        names.map((each) => `${changes.get(each)}\0`).join("")
                    );
                    expect((await shell.run(look(names), { isOwn: true })).stdout).to.equal(
                        nothing
                    );
                }
            ),
            { numRuns: sampledRuns(40) }
        );
    });

    it("Contained and real commands of the model share a folder; the user's own start in the session's", async () => {
        const shell = await shells.open();
        const root = shell.cwd;
        shell.keepFromContained(new Map(), path.join(root, "sub"));
        expect(path.basename(shell.cwd)).to.equal("sub");
        expect((await shell.run("pwd", { isOwn: true })).stdout).to.equal(`${root}\n`);
        expect((await shell.run("pwd", { cwd: "." })).stdout).to.equal(`${root}\n`);
        expect((await shell.run("pwd")).stdout).to.equal(`${root}/sub\n`);
        expect((await shell.run("pwd; cd ..", { isOwn: true })).stdout).to.equal(`${root}/sub\n`);
        expect(shell.cwd).to.equal(root);
    });

    it("A folder that a contained command reports counts only if it is real and in the project", async () => {
        const shell = await shells.open();
        const root = shell.cwd;
        symlinkSync("sub", path.join(root, "link"));
        for (const forged of [
            "/nowhere/at/all",
            ".",
            "sub",
            "/proc/self/cwd",
            path.dirname(root),
            path.join(root, "link"),
            `${root}/sub/.`,
            `${root}/sub/../..`,
        ]) {
            shell.keepFromContained(new Map(), forged);
            expect(shell.cwd, forged).to.equal(root);
        }
        shell.keepFromContained(new Map(), path.join(root, "sub"));
        expect(shell.cwd).to.equal(path.join(root, "sub"));
    });

    it("A folder that only a draft has is where commands in drafts start, and no real run goes elsewhere", async () => {
        const shell = await shells.open();
        const root = shell.cwd;
        const made = path.join(root, "made");
        const inDraft = shell.inDraft(async (folder) => folder === made);
        shell.keepFromContained(new Map(), made);
        expect(inDraft.cwd).to.equal(root);
        shell.keepFromContained(new Map(), made, "draft");
        expect([inDraft.cwd, await inDraft.resolve(), shell.cwd]).to.deep.equal([made, made, root]);
        expect(await inDraft.resolve("made")).to.equal(made);
        const refused = await inDraft.run("touch ran").catch((error: Error) => error);
        expect(String(refused)).to.contain("There is no folder");
        const outside = await inDraft.resolve("../made").catch((error: Error) => error);
        expect(String(outside)).to.contain("There is no folder");
        expect((await shell.run("ls")).stdout).to.equal("sub\n");
        await shell.run("cd sub");
        expect(inDraft.cwd).to.equal(path.join(root, "sub"));
    });

    it("A folder that a link has replaced starts no command", async () => {
        const shell = await shells.open();
        const root = shell.cwd;
        shell.keepFromContained(new Map(), path.join(root, "sub"));
        await shell.run("mv sub moved; ln -s / sub", { cwd: "." });
        expect(shell.cwd).to.equal(root);
        const { stdout, stderr } = await shell.run("pwd");
        expect(stdout).to.equal(`${root}\n`);
        expect(stderr).to.contain("sub is gone");
    });
});
