import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect } from "chai";

import { findRefusal, type Traces } from "../../../src/shell/containment/find-refusal.js";
import { PATIENCE_MS, patient } from "../../helpers/patience.js";
import { withLongerLimits } from "../shells.js";
import { git, makeRepository, writeTree } from "../../workspace/make-folder.js";
import { ContainedProject, describeContained } from "./contained.js";

/** What a command needs that fails, by its own words. */
async function needOf(project: ContainedProject, command: string): Promise<string | undefined> {
    return (await project.run(`{ ${command}; } || exit 1`)).refusal?.text;
}

/** What the model learns of a command that fails, or succeeds, without a word. */
async function silent(project: ContainedProject, command: string, exitCode = 1) {
    const run = await project.run(`{ ${command}; } >/dev/null 2>&1; exit ${exitCode}`);
    expect(run.outcome.stdout + run.outcome.stderr).to.equal("");
    expect(run.refusal).to.equal(undefined);
    return run.notes;
}

const TRIED = "It tried the network, which contained commands do not have.";

describeContained("refusals", () => {
    it("A command that fails and names the failed connection needs the network", async () => {
        const project = await ContainedProject.make();
        expect(await needOf(project, "exec 3<>/dev/tcp/192.0.2.1/443")).to.equal(
            "It needs the network: 192.0.2.1:443, it says"
        );
        expect(await needOf(project, "exec 3<>/dev/tcp/2001:db8::1/443")).to.equal(
            "It needs the network: [2001:db8::1]:443, it says"
        );
        expect(await needOf(project, "false")).to.equal(undefined);
        const lookup =
            'require("dns").lookup("example.org", (e) => { console.error(e.message); process.exit(1); })';
        expect(await needOf(project, `${process.execPath} -e '${lookup}'`)).to.equal(
            "It needs the network: example.org, it says"
        );
    });

    it("A refused write is recognized in the folder that a command moved to", async () => {
        const project = await ContainedProject.make({ "a/b": "" });
        const beside = path.join(path.dirname(project.root), "new");
        const needs = async (command: string) => (await project.run(command)).refusal?.text;
        const written = `It needs to write ${beside}, it says`;
        expect(await needs("cd .. && mkdir new")).to.equal(written);
        expect(await needs("cd a; touch ../../new")).to.equal(written);
        expect(await needs(`cd ${path.dirname(project.root)}; : > new`)).to.equal(written);
        expect(await needs("(cd .. && mkdir new)")).to.equal(written);
        expect(await needs("(cd ..; : > new) || false")).to.equal(written);
        // Which of them it means is not known.
        expect(await needs("(cd a && cd ../.. && mkdir new)")).to.equal(undefined);
    });

    it("A failing test beside a silent update check needs no network, but the model is told", async () => {
        const project = await ContainedProject.make();
        const run = await project.run(
            "(exec 3<>/dev/tcp/192.0.2.1/443) 2>/dev/null; echo '1 failing: expected 2'; exit 1"
        );
        expect(run.refusal).to.equal(undefined);
        expect(run.notes).to.deep.equal([TRIED]);
    });

    it("A client that fails in silence learns that a server of this machine is out of reach", async () => {
        const project = await ContainedProject.make();
        const connect = "{ exec 3<>/dev/tcp/127.0.0.1/3999; } 2>/dev/null";
        expect((await project.run(`${connect} | head -3`)).notes).to.deep.equal([
            "Contained commands do not reach this machine's own services or jobs, such as port 3999; a real run does.",
        ]);
        expect((await project.run("echo 127.0.0.1:3999")).notes).to.deep.equal([]);
    });

    it("A failing npm test needs no network although npm's update check is due", async function () {
        if (spawnSync("npm", ["--version"]).status !== 0) return this.skip();
        const project = await ContainedProject.make({
            "package.json": '{"name": "x", "scripts": {"test": "echo 1 failing; exit 1"}}',
        });
        const run = await project.run("npm test", { timeoutMs: PATIENCE_MS });
        expect(run.outcome.stdout, run.outcome.stderr).to.contain("1 failing");
        expect(run.refusal).to.equal(undefined);
        expect(run.notes).to.deep.equal(run.notes.filter((note) => note !== TRIED));
        const variables = new Map([
            ["PATH", process.env.PATH ?? ""],
            ["DO_NOT_TRACK", "0"],
        ]);
        const state = { folder: project.root, variables, definitions: "" };
        const kept = await project.run('echo "$NO_UPDATE_NOTIFIER $DO_NOT_TRACK"', { state });
        expect(kept.outcome.stdout).to.equal("1 0\n");
        expect([...kept.variables.keys()]).to.deep.equal([]);
    });

    it("What a command tried silently is a note, even if it succeeds", async () => {
        const project = await ContainedProject.make({ ".env": "KEY=1\n" });
        writeFileSync(path.join(project.home, ".netrc"), "machine x\n");
        const connect = "exec 3<>/dev/tcp/192.0.2.1/443";
        expect(await silent(project, `( ${connect} )`)).to.deep.equal([TRIED]);
        expect(await silent(project, `( ${connect} )`, 0)).to.deep.equal([TRIED]);
        expect(await silent(project, "cat ~/.netrc", 0)).to.deep.equal([
            "~/.netrc is hidden from contained commands.",
        ]);
        expect(await silent(project, "true", 0)).to.deep.equal([]);
    });

    it("Git needs the objects that a repository shares with another one, and works once they are shown", async () => {
        const origin = makeRepository();
        git(origin, "commit", "--quiet", "--allow-empty", "-m", "first");
        const objects = path.join(origin, ".git/objects");
        const log = async (show: readonly string[]) => {
            const project = await ContainedProject.make({}, { settings: { show, hide: [] } });
            writeTree(project.root, { ".git/objects/info/alternates": `${objects}\n` });
            git(project.root, "reset", "--quiet", git(origin, "rev-parse", "HEAD").trim());
            const { outcome, refusal } = await project.run("git log --format=%s");
            return refusal?.text ?? outcome.stdout;
        };
        expect(await log([])).to.match(/^It needs .+\/objects, which is hidden .+, it says$/);
        expect(await log([objects])).to.equal("first\n");
    });

    it("A command that fails at a hidden file needs it, also by way of a link", async () => {
        const project = await ContainedProject.make({ ".env": "KEY=1\n", "a.txt": "a\n" });
        mkdirSync(path.join(project.home, ".ssh"));
        writeFileSync(path.join(project.home, ".ssh/id_rsa"), "secret\n");
        symlinkSync(path.join(project.home, ".ssh"), path.join(project.root, "keys"));
        expect(await needOf(project, "cat a.txt .env")).to.equal(
            "It needs .env, which is hidden from contained commands"
        );
        for (const name of [
            "~/.ssh/id_rsa",
            '"$HOME/.ssh/id_rsa"',
            "keys/id_rsa",
            "./keys/id_rsa",
        ]) {
            expect(await needOf(project, `cat ${name}`), name).to.equal(
                "It needs ~/.ssh/id_rsa, which is hidden from contained commands"
            );
        }
        writeFileSync(path.join(project.root, "x.sh"), "cat keys/id_rsa\n");
        const inScript = await project.run("bash x.sh");
        expect(inScript.refusal?.text).to.equal(
            "It needs ~/.ssh/id_rsa, which is hidden from contained commands, it says"
        );
    });

    it("A secret in a toolchain is hidden, and what a link shows of another place is not", async () => {
        const token = '[registry]\ntoken = "cioabcdefghijklmnopqrstuvwx1234567"\n';
        const project = await ContainedProject.make({}, {}, (home) => {
            writeTree(home, {
                ".cargo/credentials.toml": token,
                "elsewhere/nvm/v20/x": "x\n",
                "elsewhere/nvm/.env": "KEY=1\n",
                "elsewhere/gitconfig": "[user]\n\tname = X\n",
            });
            symlinkSync("elsewhere/nvm", path.join(home, ".nvm"));
            symlinkSync("elsewhere/gitconfig", path.join(home, ".gitconfig"));
        });
        const told = async (command: string) => {
            const { refusal, notes } = await project.run(command);
            return refusal?.text ?? notes.join();
        };
        for (const seen of ["~/.nvm/v20/x", "~/.gitconfig", "~/.nvm/v20/none"]) {
            expect(await told(`cat ${seen}`), seen).to.equal("");
        }
        for (const [typed, name] of [
            ["~/.cargo/credentials.toml", "~/.cargo/credentials.toml"],
            ["~/.nvm/.env", "~/elsewhere/nvm/.env"],
        ] as const) {
            const needed = `It needs ${name}, which is hidden from contained commands`;
            expect(await told(`cat ${typed}`)).to.equal(needed);
        }
    });

    it("A command that misses by its name what a variable or a link leads to needs it", async () => {
        const project = await ContainedProject.make(
            { "packages/a/x": "", "lib/mine.py": "" },
            {},
            (home) =>
                writeTree(home, {
                    "python/mylib/__init__.py": "",
                    "node/foo/index.js": "",
                    "linked/left/index.js": "",
                    "include/sub/foo.h": "",
                    "jdk/bin/java": "",
                    "venv/bin/activate": "",
                    "common.mk": "",
                    VERSION: "1",
                })
        );
        const { home, root } = project;
        symlinkSync(path.join(home, "venv"), path.join(root, ".venv"));
        symlinkSync("/bin/sh", path.join(home, "venv/bin/python"));
        symlinkSync(path.join(home, "linked"), path.join(root, "node_modules"));
        symlinkSync(path.join(home, "linked/left"), path.join(root, "packages/left"));
        const variables = new Map([
            ["PATH", process.env.PATH ?? ""],
            ["HOME", home],
            ["PYTHONPATH", `/nowhere:${home}/python`],
            ["NODE_PATH", path.join(home, "node")],
            ["CPATH", path.join(home, "include")],
            ["JAVA_HOME", path.join(home, "jdk")],
            ["OTHER", path.join(home, "linked")],
        ]);
        const state = { folder: root, variables, definitions: "" };
        const run = (command: string) => project.run(command, { state });
        const told = (line: string) => {
            writeFileSync(path.join(root, "said"), line);
            return run("cat said >&2; exit 1");
        };
        const beside = path.relative(root, path.join(home, "common.mk"));
        for (const [line, name] of [
            ["ModuleNotFoundError: No module named 'mylib.sub'", "python/mylib"],
            ["Error: Cannot find module 'foo'", "node/foo"],
            ["Error: Cannot find module 'left'", "linked/left"],
            [`Cannot find module '${root}/node_modules/left/index.js'`, "linked/left/index.js"],
            ["Cannot find module './node_modules/left/index'", "linked/left/index.js"],
            ["a.c:1:10: fatal error: sub/foo.h: No such file or directory", "include/sub/foo.h"],
            [`cat: ${path.dirname(beside)}/VERSION: No such file or directory`, "VERSION"],
            [`include could not find requested file:\n\n    ${home}/common.mk\n`, "common.mk"],
            ["JAVA_HOME is not defined correctly", "jdk"],
            [`sh: 1: ${home}/jdk/bin/java: not found`, "jdk/bin/java"],
            [`strict.mk:1: ${beside}: No such file or directory`, "common.mk"],
        ] as const) {
            const needed = (await told(line)).refusal?.text;
            expect(needed, line).to.match(
                new RegExp(`^It needs ~/${name}, which is hidden .+, it says$`)
            );
        }
        for (const line of [
            "ModuleNotFoundError: No module named 'mine'",
            "TypeError: Cannot read properties of undefined (reading 'left')",
            "Cannot find module '.' or . or ./",
            "MY_JAVA_HOME is not defined correctly",
        ]) {
            expect((await told(line)).refusal, line).to.equal(undefined);
        }
        const linked = await run(".venv/bin/python -c true");
        expect(linked.refusal?.text).to.match(/^It needs ~\/venv\/bin\/python, which is hidden/);
        const passed = await run("echo \"No module named 'mylib'\" >&2");
        expect(passed.refusal).to.equal(undefined);
        expect(passed.notes.join()).to.match(/^~\/python\/mylib is hidden/);
    });

    it("A need for a file that `containment.show` could show says so", async () => {
        const project = await ContainedProject.make({ "a.txt": "a\n" });
        mkdirSync(path.join(project.home, "other"));
        writeFileSync(path.join(project.home, "other/note.txt"), "note\n");
        writeFileSync(path.join(project.home, "other/.env"), "KEY=1\n");
        expect(await needOf(project, "cat ~/other/note.txt")).to.equal(
            "It needs ~/other/note.txt, which is hidden from contained commands unless `containment.show` lists it"
        );
        expect(await needOf(project, "cat ~/other/.env")).to.equal(
            "It needs ~/other/.env, which is hidden from contained commands"
        );
        const note = path.join(project.home, "other/note.txt");
        const settings = { show: [note], hide: [] };
        const shown = await ContainedProject.make({ "a.txt": "a\n" }, { settings });
        expect((await shown.run(`cat ${note}`)).outcome.stdout).to.equal("note\n");
    });

    it("A new file in a hidden folder counts as hidden, not as missing", async () => {
        const project = await ContainedProject.make({ "a.txt": "a\n" });
        mkdirSync(path.join(project.home, "other"));
        expect(await needOf(project, "echo note >~/other/note.txt")).to.equal(
            "It needs ~/other/note.txt, which is hidden from contained commands"
        );
        // A real run would fail as well.
        expect(await needOf(project, "touch ~/other/new/note.txt")).to.equal(undefined);
        expect(await needOf(project, "cat /tmp/north-is-not-here")).to.equal(undefined);
    });

    it("A failed command is not refused for files that it can see or does not fail at", async () => {
        const project = await ContainedProject.make({ ".env": "KEY=1\n", "a.txt": "a\n" });
        const run = await project.run("ls -a; cat nowhere ~/nowhere; exit 1");
        expect(run.refusal).to.equal(undefined);
        const passed = await project.run("cat .env; true");
        expect(passed.refusal).to.equal(undefined);
        const tested = await project.run("test -f .env && echo '1 failing'; exit 1");
        expect(tested.refusal).to.equal(undefined);
    });

    it("Errors that a build tool logs to stdout tell what it needs, as those on stderr do", async () => {
        const project = await ContainedProject.make();
        const said = "transfer failed for https://example.org/a.pom: Unknown host example.org: ";
        const logs = (tag: string) =>
            `getent hosts example.org; printf '${tag} ${said}Temporary failure in name resolution\\n'; false`;
        const needed = "It needs the network: example.org, it says";
        expect(await needOf(project, logs("[ERROR]"))).to.equal(needed);
        expect(await needOf(project, logs("[\\033[1;31mERROR\\033[m]"))).to.equal(needed);
        expect(await needOf(project, logs("[error]"))).to.equal(needed);
        expect(await needOf(project, logs("[INFO]"))).to.equal(undefined);
    });

    it("Words in a file that a command shows are not a refusal", async () => {
        const words = "EOVERFLOW, EROFS, Read-only file system: /etc/x, must be run as root\n";
        const project = await ContainedProject.make({ "notes.txt": words });
        for (const command of ["cat notes.txt", "cat notes.txt; exit 1"]) {
            expect((await project.run(command)).refusal, command).to.equal(undefined);
        }
    });

    it("A command that only tries the network again and again is stopped while it hangs, and needs it", async () => {
        const project = await ContainedProject.make();
        const attempt = "(exec 3<>/dev/tcp/192.0.2.1/443)";
        const run = await project.run(`until ${attempt}; do sleep 0.8; done`);
        expect(run.outcome.timedOut).to.equal(undefined);
        expect(run.refusal).to.deep.equal({
            what: "network",
            text: "It needs the network, which it keeps trying",
        });
        expect(run.outcome.stderr).to.contain("192.0.2.1");
    }).timeout(patient(60_000));

    it("A command that works between its silent attempts is not stopped", async () => {
        const project = await ContainedProject.make();
        const attempt = "(exec 3<>/dev/tcp/192.0.2.1/443) 2>/dev/null";
        const run = await project.run(
            `for i in 1 2 3 4 5 6 7 8 9; do ${attempt}; echo "$i passed"; sleep 0.9; done`
        );
        expect(run.refusal).to.equal(undefined);
        expect(run.outcome.exitCode).to.equal(0);
        expect(run.notes).to.deep.equal([TRIED]);
    }).timeout(patient(60_000));

    it("A command that is stopped by its time limit tells that it tried the network", async () => {
        const project = await ContainedProject.make();
        const attempt = "(exec 3<>/dev/tcp/192.0.2.1/443) 2>/dev/null";
        const run = await withLongerLimits(
            (timeoutMs) => project.run(`${attempt}; sleep 60`, { timeoutMs }),
            ({ notes }) => notes.length > 0
        );
        expect(run.outcome.timedOut).to.equal(true);
        expect(run.notes).to.deep.equal([TRIED]);
    }).timeout(patient(60_000));

    it("A socket of the machine is needed if the error names it, else noted", async function () {
        const socket = `/run/north-test-${process.pid}/service.sock`;
        try {
            mkdirSync(path.dirname(socket));
        } catch {
            return this.skip();
        }
        const listen = `require("net").createServer().listen("${socket}", () => console.log("up"))`;
        const service = spawn(process.execPath, ["-e", listen]);
        try {
            await once(service.stdout, "data");
            const project = await ContainedProject.make();
            const tested = `test -S ${socket}`;
            expect(
                await needOf(project, `${tested} || { echo no ${socket} >&2; false; }`)
            ).to.equal(`It needs the service at ${socket}`);
            expect(await silent(project, tested)).to.include(
                `It tried the service at ${socket}, which contained commands cannot reach.`
            );
            expect(await silent(project, "false")).to.deep.equal([]);
            // No service of the machine, but a link of the command's own.
            const forged = "ln -s /nowhere/hidden /run/a.sock; echo no /run/a.sock >&2; false";
            expect(await needOf(project, forged)).to.equal(undefined);
        } finally {
            service.kill("SIGKILL");
            rmSync(path.dirname(socket), { recursive: true, force: true });
        }
    });

    it("A refused write is recognized in the language of the command", async function () {
        const locales = execFileSync("locale", ["-a"], { encoding: "utf8" }).split("\n");
        const german = locales.find((name) => /^de_DE\.utf-?8$/i.test(name));
        if (german === undefined) return this.skip();
        const project = await ContainedProject.make();
        const variables = new Map([
            ["PATH", process.env.PATH ?? ""],
            ["LANG", german],
        ]);
        const state = { folder: project.root, variables, definitions: "" };
        const run = await project.run("echo x >/etc/north-was-here", { state });
        expect(run.outcome.stderr).not.to.contain("Read-only");
        expect(run.refusal?.text).to.equal("It needs to write /etc/north-was-here, it says");
    });
});

const NO_WORDS: Traces["words"] = { readOnly: undefined, denied: undefined, missing: undefined };

describe("the words of refusals", () => {
    function refusalOf(stderr: string, traces: Partial<Traces> = {}): string | undefined {
        return refusedOf(stderr, traces).refusal?.text;
    }

    function refusedOf(stderr: string, traces: Partial<Traces>) {
        const outcome = { stdout: "", stderr, exitCode: 1, durationMs: 1, truncated: false };
        return findRefusal({
            outcome,
            effects: { changes: [], notes: [] },
            command: "make",
            counters: "",
            words: NO_WORDS,
            root: "/project",
            folder: "/project",
            variables: new Map(),
            home: undefined,
            nameHidden: () => undefined,
            ...traces,
        });
    }

    it("A refused write is recognized by its number, by its code and in any language", () => {
        const german = "Das Dateisystem ist nur lesbar";
        const file = path.join(tmpdir(), "new.txt");
        for (const line of [
            "touch: cannot touch '/etc/x': Read-only file system",
            "open /etc/x: read-only file system",
            "Error: EROFS: read-only file system, open '/etc/x'",
            "OSError: [Errno 30] Nur-Lese-Dateisystem: '/etc/x'",
            `bash: /etc/x: ${german}`,
        ]) {
            const words = { ...NO_WORDS, readOnly: german };
            const told = refusalOf(line.replaceAll("/etc/x", file), { words });
            expect(told, line).to.equal(`It needs to write ${file}, it says`);
        }
        expect(refusalOf(`bash: /etc/x: ${german}`)).to.equal(undefined);
    });

    it("A new file in a folder that users share needs their group", function () {
        if (process.getuid?.() !== 0) return this.skip();
        const root = makeRepository({ "shared/a": "" });
        chownSync(path.join(root, "shared"), 0, 12345);
        const line = "bash: line 1: shared/new: Value too large for defined data type";
        const project = { root, folder: root };
        expect(refusalOf(line, project)).to.equal(
            "It needs to change files of another user or group, it says"
        );
        const outcome = { stdout: "", stderr: line, exitCode: 0, durationMs: 1, truncated: false };
        expect(refusedOf(line, { ...project, outcome }).notes).to.deep.equal([
            "It could not change files of another user or group, it says; a real run can.",
        ]);
    });

    it("A refused write of a command that went on is a note", () => {
        const outcome = { stdout: "", exitCode: 0, durationMs: 1, truncated: false };
        const stderr = `mkdir: cannot create directory ‘${tmpdir()}/new’: Read-only file system`;
        const { refusal, notes } = refusedOf("", { outcome: { ...outcome, stderr } });
        expect(refusal).to.equal(undefined);
        expect(notes).to.deep.equal([
            `It could not write ${tmpdir()}/new, it says; a real run can.`,
        ]);
    });

    it("A refused write beside the project is recognized by the name that was typed", () => {
        const beside = path.join(tmpdir(), "new dir");
        const project = {
            root: path.join(tmpdir(), "project"),
            folder: path.join(tmpdir(), "project/a"),
        };
        const told = (command: string, line: string) =>
            refusalOf(`${line}: Read-only file system`, { ...project, command });
        for (const [command, line] of [
            ["mkdir '../../new dir'", "mkdir: cannot create directory ‘../../new dir’"],
            [`mkdir "${beside}"`, `mkdir: cannot create directory ‘${beside}’`],
            [`mkdir "${beside}"`, `mkdir: das Verzeichnis „${beside}“ ist nicht möglich`],
            ["cp a '../../new dir'", "cp: cannot create regular file '../../new dir'"],
            ["mv 'new dir' ../../", "mv: cannot move 'new dir' to '../../new dir'"],
        ] as const) {
            expect(told(command, line), line).to.equal(`It needs to write ${beside}, it says`);
        }
        const made = "fatal: could not create leading directories of '../../wt/.git'";
        expect(told("git worktree add ../../wt", made)).to.equal(
            `It needs to write ${path.join(tmpdir(), "wt/.git")}, it says`
        );
        // Who moved or wrote the name elsewhere means another folder.
        expect(told("cd b && cp a ../../new", "cp: cannot create '../../new'")).to.equal(undefined);
        expect(told("make", "cp: cannot create '../../new'")).to.equal(undefined);
    });

    /** It reached a host, for something else than what it says. */
    const reached = (host: string, wantsLogin?: true) => ({
        traffic: [{ host, requests: 1, received: 9, sent: 9, ...(wantsLogin && { wantsLogin }) }],
    });
    const git =
        "fatal: could not read Username for 'https://git.example': terminal prompts disabled";
    const npm = "npm error 401 Unauthorized - GET https://npm.example/private";
    const ssh = "ssh: Could not resolve hostname git.example: Name or service not known";
    const LOOKED_UP = "Udp: NoPorts\nUdp: 1\n";
    const login = (host: string) => `It needs a login at ${host}, it says`;

    const CLAIMS: readonly (readonly [
        what: string,
        line: string,
        traces: Partial<Traces>,
        needs?: string,
    ])[] = [
        [
            "a login at the host it names and reached",
            git,
            reached("git.example"),
            login("git.example"),
        ],
        [
            "a login at its host's usual port",
            npm.replace("example", "example:443"),
            reached("npm.example"),
            login("npm.example"),
        ],
        [
            "a login that the proxy saw",
            "curl: (22) The requested URL returned error: 401",
            reached("a.example", true),
            login("a.example"),
        ],
        [
            "a login that a test expects, beside other traffic",
            "AssertionError: got 401 Unauthorized",
            reached("a.example"),
        ],
        ["a login at a host it did not reach", npm, reached("a.example")],
        ["a login at a host whose name only begins the same", git, reached("git.example.com")],
        ["a login, without any traffic", npm, {}],
        [
            "SSH, with a lookup",
            ssh,
            { counters: LOOKED_UP },
            "It needs SSH to git.example, it says",
        ],
        ["SSH, without an attempt", ssh, { counters: "" }],
        [
            "a file of another user, which it does not name",
            "date: Value too large for defined data type",
            {},
        ],
        [
            "a file of another user, which is the user's own",
            `touch: ${import.meta.filename}: Value too large for defined data type`,
            {},
        ],
        [
            "a group that only a real run can give",
            "chgrp: changing group of 'a': Invalid argument",
            {},
            process.getuid?.() === 0
                ? "It needs to change files of another user or group, it says"
                : undefined,
        ],
        [
            "namespaces",
            "unshare: unshare failed: No space left on device",
            {},
            "It needs to create namespaces of its own, it says",
        ],
        ["namespaces on a full disk", "a.cc: namespace x: out\ncp: No space left on device", {}],
        [
            "a write that this user could never make",
            "EROFS: read-only file system, open '/nowhere/at/all'",
            {},
        ],
    ];
    for (const [what, line, traces, needs] of CLAIMS) {
        it(`An error is${needs === undefined ? " not" : ""} enough to tell a need for ${what}`, () => {
            expect(refusalOf(line, traces)).to.equal(needs);
        });
    }

    it("Words about a login are only a note where the proxy could not see the answer", () => {
        const { notes } = refusedOf(
            "curl: (22) The requested URL returned error: 401",
            reached("a.example")
        );
        expect(notes).to.deep.equal(["Credentials for hosts are hidden from contained commands."]);
        expect(refusedOf("1 failing", reached("a.example")).notes).to.deep.equal([]);
    });
});
