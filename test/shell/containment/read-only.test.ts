import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect } from "chai";

import { findBash } from "../../../src/shell/find-bash.js";
import { landlockOf } from "../../../src/shell/containment/linux/landlock.js";
import { ReadOnlyContainment } from "../../../src/shell/containment/linux/read-only.js";
import { PATIENCE_MS } from "../../helpers/patience.js";
import { optionsFor } from "./contained.js";
import { makeRepository, writeTree } from "../../workspace/make-folder.js";
import { withLongerLimits } from "../shells.js";
import { usersToTry, WatchedPlace, WITHOUT_NAMESPACES, landlockVersion } from "./watched-place.js";

async function readOnly(root: string, version: number): Promise<ReadOnlyContainment> {
    const base = realpathSync(mkdtempSync(path.join(tmpdir(), "north-read-only-")));
    const bash = await findBash(process.env.PATH);
    return new ReadOnlyContainment({
        ...optionsFor(root),
        gitPlaces: { settings: [], named: [] },
        base,
        bash,
        landlock: landlockOf(version),
    });
}

const USUAL = new Map(Object.entries({ PATH: process.env.PATH ?? "" }));
const REACH = readFileSync("test/fixtures/reach-outside.py", "utf8");
const REACHING = { "a.txt": "a\n", ".env": "hunter2\n", "reach.py": REACH };
const WAYS = REACH.match(/^@attack$/gm)?.length;
const DATAGRAMS = `import socket, sys
sockets = [socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in "ab"]
for one, place in zip(sockets, sys.argv[1:]): one.bind(place.replace("@", "\\0"))
print("up", flush=True)
import select
while True:
    for one in select.select(sockets, [], [])[0]: print("got", one.recv(9), flush=True)`;

/** A project with a hidden file, and a process and services outside it that nothing may reach. */
class Outside {
    private said = "";
    private constructor(
        readonly root: string,
        private readonly bystander: ChildProcess,
        private readonly services: ChildProcess
    ) {
        services.stdout?.on("data", (bytes: Buffer) => (this.said += bytes.toString()));
    }

    /** `root` holds what `REACHING` does. */
    static async open(root: string, user: number): Promise<Outside> {
        const label = "import os; os.setxattr('.env', 'user.secret', b'hunter2')";
        spawnSync("python3", ["-c", label], { cwd: root });
        const names = [path.join(root, "service"), `@${root}`];
        const services = spawn("python3", ["-c", DATAGRAMS, ...names], { uid: user });
        await once(services.stdout, "data");
        return new Outside(root, spawn("sleep", ["1000"], { uid: user }), services);
    }

    get command(): string {
        const { root, bystander } = this;
        return `python3 reach.py ${bystander.pid} .env a.txt ${root}/service ${root}`;
    }

    happened(): readonly string[] {
        const { exitCode, signalCode } = this.bystander;
        const content = readFileSync(path.join(this.root, "a.txt"), "utf8");
        return [
            ...(this.said.includes("got") ? [`the services ${this.said}`] : []),
            ...(exitCode === null && signalCode === null ? [] : ["a process was ended"]),
            ...(content === "a\n" ? [] : ["a file was truncated"]),
        ];
    }

    async close(): Promise<void> {
        for (const child of [this.bystander, this.services]) {
            const ended = child.exitCode === null && child.signalCode === null;
            child.kill("SIGKILL");
            if (ended) await once(child, "close");
        }
    }
}

describe("read-only commands, where namespaces are missing", function () {
    before(function () {
        if (landlockVersion() === 0 || process.getuid?.() !== 0) this.skip();
    });

    for (const user of usersToTry()) {
        const who = user === 0 ? "root" : `user ${user}`;
        const linesOf = (commands: readonly string[], prepare?: (root: string) => void) => {
            const place = new WatchedPlace(user, prepare);
            try {
                return place.run(commands, { within: WITHOUT_NAMESPACES });
            } finally {
                place.remove();
            }
        };

        it(`Read-only commands read what contained ones see, and nothing else, as ${who}`, () => {
            const read = [
                "cat a.txt",
                "ls -A",
                "git status --short",
                "node -p 1+1",
                "cat ~/.cargo/bin/tool",
                "git config user.name; git config --global --list",
            ];
            const kept = [
                "cat ~/.gitconfig",
                "cat .env",
                "cat ../neighbour/private.txt",
                "cat ~/.ssh/id_rsa",
                "cat ~/.cargo/credentials.toml",
                "ln .env $TMPDIR/env && cat $TMPDIR/env",
                "cat /proc/$PPID/root$PWD/.env",
            ];
            const lines = linesOf([...read, ...kept], (root) => {
                const settings = "[user]\n\tname = me\n[http]\n\textraheader = hunter2\n";
                writeFileSync(path.join(root, "../../.gitconfig"), settings);
            });
            expect(lines.slice(0, read.length).map(({ outcome }) => outcome.stdout)).to.deep.equal([
                "a\n",
                ".env\n.git\na.txt\n",
                "?? .env\n?? a.txt\n",
                "2\n",
                "#!/bin/sh\necho tool\n",
                "me\nuser.name=me\nhttp.extraheader=\n",
            ]);
            for (const { command, outcome } of lines.slice(read.length)) {
                expect(outcome.exitCode, command).not.to.equal(0);
                expect(outcome.stdout + outcome.stderr).not.to.contain("hunter2");
            }
        });

        it(`A write is refused and told with its path, as ${who}`, () => {
            const wanted: Readonly<Record<string, string>> = {
                "echo b >a.txt": "a.txt",
                "touch new.txt": "new.txt",
                "mkdir made": "made",
                "rm a.txt": "a.txt",
                "mv a.txt b.txt": "b.txt",
                "chmod 600 a.txt": "a.txt",
                'python3 -c \'open("a.txt", "w")\'': "a.txt",
                'node -e \'require("fs").writeFileSync("a.txt", "")\'': "a.txt",
            };
            for (const { command, refusal, changed } of linesOf(Object.keys(wanted))) {
                expect(refusal?.text, command).to.equal(
                    `It needs to write ${wanted[command]}, it says`
                );
                expect(changed, command).to.equal(undefined);
            }
        });

        it(`Bash's own errors begin as in a terminal, without the path of the script, as ${who}`, () => {
            const [line] = linesOf(["true\nno-such-program; cd missing"]);
            expect(line?.outcome.stderr).to.equal(
                "bash: line 2: no-such-program: command not found\nbash: line 2: cd: missing: No such file or directory\n"
            );
        });

        it(`An ordinary failure is not a need, as ${who}`, () => {
            const commands = [
                "cat missing",
                "./a.txt",
                "false",
                "grep x a.txt",
                "echo \"touch: cannot touch 'a.txt': Permission denied\" && false",
                "perl -e 'die \"no\\n\"'",
            ];
            for (const { command, refusal } of linesOf(commands)) {
                expect(refusal, command).to.equal(undefined);
            }
        });

        it(`Temporary files, the folder and exports last, as ${who}`, () => {
            const [, second] = linesOf(
                ["echo kept >$TMPDIR/file; cd src; export WHO=me", "cat $TMPDIR/file; pwd"],
                (root) => execFileSync("mkdir", [path.join(root, "src")])
            );
            expect(second?.outcome.stdout).to.match(/^kept\n.*\/project\/src\n$/);
        });

        it(`Nothing is reached: no service, no process, no network, as ${who}`, async () => {
            const bystander = spawn("sleep", ["1000"], { uid: user });
            try {
                const [one, unix, tcp] = linesOf([
                    `kill ${bystander.pid}; cat /proc/${bystander.pid}/environ`,
                    `perl -e 'socket(S, 1, 1, 0) or die "$!\\n"'`,
                    "node -e 'fetch(\"http://192.0.2.1:81\").catch((error) => { console.error(error.cause.code); process.exitCode = 1 })'",
                ]);
                expect(one?.outcome.stderr).to.match(/Operation not permitted.*Permission denied/s);
                expect(bystander.signalCode).to.equal(null);
                expect(unix?.outcome.stderr).to.equal("Permission denied\n");
                expect(tcp?.refusal?.text).to.match(/^It needs the network/);
            } finally {
                bystander.kill();
                await once(bystander, "close");
            }
        });

        it(`Nothing outside is reached in any of ${WAYS} ways, as ${who}`, async () => {
            const place = new WatchedPlace(user, (root) => writeTree(root, REACHING));
            const outside = await Outside.open(place.root, user);
            try {
                const [line] = place.run([outside.command], { within: WITHOUT_NAMESPACES });
                expect(line?.outcome.stdout).to.equal(`tried ${WAYS}\n`);
                expect(outside.happened()).to.deep.equal([]);
            } finally {
                await outside.close();
                place.remove();
            }
        });

        it(`No process is left, however it was started, as ${who}`, () => {
            const seconds = `${100_000 + user}.${process.pid}`;
            linesOf([
                `sleep ${seconds} & setsid sleep ${seconds} & (trap '' TERM HUP; setsid nohup sleep ${seconds} >/dev/null 2>&1 &)`,
            ]);
            const left = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
            expect(left.split("\n").filter((line) => line === `sleep ${seconds}`)).to.deep.equal(
                []
            );
        });
    }

    for (let version = 1; version <= 7; version++) {
        it(`Everything forbidden is refused on version ${version} of Landlock`, async function () {
            if (landlockVersion() < version) return this.skip();
            const containment = await readOnly(makeRepository({ "a.txt": "a\n" }), version);
            try {
                expect(await containment.trial()).to.equal(undefined);
            } finally {
                await containment.dispose();
            }
        });
    }

    for (let version = 1; version <= 7; version++) {
        it(`Nothing outside is reached in any of ${WAYS} ways on version ${version} of Landlock`, async function () {
            if (landlockVersion() < version) return this.skip();
            const target = await Outside.open(makeRepository(REACHING), 0);
            const containment = await readOnly(target.root, version);
            try {
                const { outcome } = await containment.run({
                    command: target.command,
                    state: { folder: target.root, variables: USUAL, definitions: "" },
                    timeoutMs: PATIENCE_MS,
                    signal: new AbortController().signal,
                });
                expect(outcome.stdout, outcome.stderr).to.equal(`tried ${WAYS}\n`);
                expect(target.happened()).to.deep.equal([]);
            } finally {
                await Promise.all([containment.dispose(), target.close()]);
            }
        });
    }

    it("A command that is stopped, or prints too much, ends with all it started", async () => {
        const root = makeRepository({ "a.txt": "a\n" });
        const containment = await readOnly(root, landlockVersion());
        const sleep = `sleep 200000.${process.pid}`;
        const state = {
            folder: root,
            variables: new Map(Object.entries({ PATH: process.env.PATH ?? "" })),
            definitions: "",
        };
        try {
            const { outcome } = await withLongerLimits(
                (timeoutMs) =>
                    containment.run({
                        command: `echo begun; setsid ${sleep} & ${sleep}`,
                        state,
                        timeoutMs,
                        signal: new AbortController().signal,
                    }),
                (run) => run.outcome.stdout !== ""
            );
            expect(outcome).to.include({ stdout: "begun\n", exitCode: 137, timedOut: true });
            const left = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
            expect(left).not.to.contain(sleep);
        } finally {
            await containment.dispose();
        }
        expect(readFileSync(path.join(root, "a.txt"), "utf8")).to.equal("a\n");
    });
});
