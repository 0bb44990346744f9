import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import {
    chmodSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    rmSync,
    symlinkSync,
    utimesSync,
    writeFileSync,
} from "node:fs";
import path from "node:path";

import { expect } from "chai";

import { git } from "../../workspace/make-folder.js";
import { ContainedProject, describeContained, effectsOf } from "./contained.js";

const TREE = { "src/a.txt": "a\n", "src/b.txt": "b\n", "src/deep/c.txt": "c\n", "gone/g": "g\n" };

describeContained("effects", () => {
    it("A command without effects leaves none", async () => {
        const project = await ContainedProject.make(TREE);
        const run = await project.run("cat src/a.txt; ls; touch src/b.txt; exit 3");
        expect(run.outcome.stdout).to.equal("a\ngone\nsrc\n");
        expect(run.outcome.exitCode).to.equal(3);
        expect(effectsOf(run)).to.deep.equal([]);
        expect(run.refusal).to.equal(undefined);
    });

    it("Creations, edits and deletions are effects, and the project stays as it was", async () => {
        const project = await ContainedProject.make(TREE);
        const before = execFileSync("find", [project.root, "-type", "f"], { encoding: "utf8" });
        const run = await project.run(
            "echo x >new; echo y >>src/a.txt; rm -r gone; mv src/b.txt b"
        );
        expect(effectsOf(run)).to.have.members([
            "+new",
            "~src/a.txt",
            "-gone/",
            "-gone/g",
            "-src/b.txt",
            "+b",
        ]);
        const after = execFileSync("find", [project.root, "-type", "f"], { encoding: "utf8" });
        expect(after).to.equal(before);
    });

    it("A folder created in place of an old one hides what was in the old one", async () => {
        const project = await ContainedProject.make(TREE);
        const run = await project.run("rm -r src; mkdir src; echo z >src/z");
        expect(effectsOf(run)).to.have.members([
            "+src/z",
            "-src/a.txt",
            "-src/b.txt",
            "-src/deep/",
            "-src/deep/c.txt",
        ]);
    });

    it("A path that becomes something else is an effect, with all that is in it", async () => {
        const outside = mkdtempSync(path.join(tmpdir(), "north-outside-"));
        writeFileSync(path.join(outside, "f"), "not the project's\n");
        for (const [command, ...effects] of [
            [
                "rm src/a.txt; mkdir src/a.txt; echo x >src/a.txt/f",
                "file ~src/a.txt/",
                "+src/a.txt/f",
            ],
            ["rm -r gone; echo x >gone", "folder ~gone", "-gone/g"],
            ["rm -r gone; ln -s src gone", "folder ~gone@", "-gone/g"],
            ["ln -sf a.txt src/b.txt", "file ~src/b.txt@"],
            ["sed -i s/a/x/ l", "link ~l"],
            ["rm l; mkdir l; echo x >l/f", "link ~l/", "+l/f"],
            ["rm out; mkdir out; echo x >out/f", "link ~out/", "+out/f"],
        ] as const) {
            const project = await ContainedProject.make(TREE);
            symlinkSync("src/a.txt", path.join(project.root, "l"));
            symlinkSync(outside, path.join(project.root, "out"));
            const run = await project.run(command);
            expect(run.refusal, command).to.equal(undefined);
            const found = effectsOf(run).map((effect, index) =>
                [run.effects[index]?.typeBefore, effect].filter(Boolean).join(" ")
            );
            expect(found, command).to.have.members(effects);
        }
    });

    it("What becomes a setuid file is refused, whatever it was", async () => {
        const project = await ContainedProject.make(TREE);
        chmodSync(path.join(project.root, "gone"), 0o6755);
        const run = await project.run("rm -r gone; cp /bin/true gone; chmod 6755 gone");
        expect(run.refusal?.text).to.equal("It needs to let others run gone as you");
    });

    for (const [command, name] of [
        ["printf 1 >$'bad\\xff'", "bad\\xff"],
        ["mkdir -p $'src/d\\xfe/e'", "src/d\\xfe"],
        ["rm -r src", "src/old\\xfd"],
        ["rm -r src; mkdir src", "src/old\\xfd"],
        ["echo x >>$'src/old\\xfd'", "src/old\\xfd"],
    ] as const) {
        it(`A name that is not UTF-8 is refused, and nothing is partly applied: ${command}`, async () => {
            const project = await ContainedProject.make({ "src/a.txt": "a\n" });
            writeFileSync(Buffer.from(`${project.root}/src/old\xfd`, "latin1"), "old\n");
            const run = await project.run(command);
            expect(run.refusal?.text).to.equal(
                `It needs to write ${name}, a name that is not UTF-8`
            );
            expect(effectsOf(run)).to.deep.equal([]);
        });
    }

    it("A change beside a name that is not UTF-8 is that change alone", async () => {
        const project = await ContainedProject.make({ "src/a.txt": "a\n", "odd/a.txt": "a\n" });
        writeFileSync(Buffer.from(`${project.root}/odd/\xfd`, "latin1"), "old\n");
        const run = await project.run("echo x >>odd/a.txt; echo y >odd/b.txt");
        expect(effectsOf(run)).to.have.members(["~odd/a.txt", "+odd/b.txt"]);
        expect(run.refusal).to.equal(undefined);
    });

    it("A path longer than the kernel accepts is refused, and nothing of it remains", async () => {
        const project = await ContainedProject.make(TREE);
        const name = "n".repeat(200);
        const run = await project.run(`for i in {1..25}; do mkdir ${name} && cd ${name}; done`);
        expect(run.refusal?.text).to.match(
            /^It needs to write n+…, a path of more than 4095 bytes$/
        );
        await project.containment.dispose();
        const [layers] = readdirSync(path.join(project.home, "data/contained"));
        expect(layers).to.equal(undefined);
    });

    it("No supervisor stays behind when effects cannot be read", async () => {
        const isIgnored = () => Promise.reject(new Error("a disk that fails"));
        const project = await ContainedProject.make(TREE, { isIgnored });
        const failure = await project.run("echo x >new").catch((error: unknown) => String(error));
        expect(failure).to.contain("a disk that fails");
        const own = ["--ppid", String(process.pid), "-o", "comm="];
        const left = execFileSync("ps", own, { encoding: "utf8" });
        expect(left).not.to.contain("unshare");
    });

    it("Modes and links are effects", async () => {
        const project = await ContainedProject.make(TREE);
        symlinkSync("src/a.txt", path.join(project.root, "link"));
        const run = await project.run(
            "chmod 755 src/a.txt; ln -sfn src/b.txt link; ln -s nowhere dangling; mkdir -m 700 own"
        );
        expect(effectsOf(run)).to.have.members(["~src/a.txt 755", "~link@", "+dangling@", "+own/"]);
    });

    it("What was changed is applied byte for byte, with modes, links and folders", async () => {
        const project = await ContainedProject.make(TREE);
        await project.runAndApply(
            "printf 'a\\0b' >binary; chmod 640 binary; rm -r gone; ln -s binary link; mkdir empty; chmod 755 src/a.txt"
        );
        const listing = execFileSync(
            "find",
            [project.root, "-path", "*/.git", "-prune", "-o", "-printf", "%P %y %m %l\n"],
            {
                encoding: "utf8",
            }
        );
        expect(listing.split("\n")).to.include.members([
            "binary f 640 ",
            "link l 777 binary",
            "empty d 755 ",
            "src/a.txt f 755 ",
        ]);
        expect(listing).not.to.contain("gone");
        expect(readFileSync(path.join(project.root, "binary"), "latin1")).to.equal("a\0b");
    });

    it("Ignored files are distinguished", async () => {
        const project = await ContainedProject.make(TREE);
        const run = await project.run("mkdir dist; echo 1 >dist/x; echo 2 >y");
        const ignored = run.effects.filter(({ isIgnored }) => isIgnored);
        expect(ignored.map((effect) => effect.path)).to.deep.equal(["dist/x"]);
    });

    it("Looking at a repository with git has no effect, though git writes its index", async () => {
        const project = await ContainedProject.make(TREE);
        git(project.root, "add", "-A");
        git(project.root, "commit", "--quiet", "-m", "first");
        const place = path.join(project.root, "src/a.txt");
        writeFileSync(place, readFileSync(place));
        const run = await project.run("git status --porcelain; git diff; git log --format=%s");
        expect(run.outcome.stdout).to.equal("first\n");
        expect(run.refusal).to.equal(undefined);
        expect(effectsOf(run)).to.deep.equal([]);
    });

    for (const [command, change] of [
        ["rm -rf .git/refs/heads && mkdir .git/refs/heads", "refs/heads/main"],
        ["rm -rf .git && git init -q -b main .", "refs/heads/main"],
        ["rm -rf .git", ".git/config"],
        ["rm -rf .git && echo x >.git", ".git/"],
    ] as const) {
        it(`A deleted git folder is reported, although it may have been created again: ${command}`, async () => {
            const project = await ContainedProject.make(TREE);
            git(project.root, "checkout", "--quiet", "-b", "main");
            git(project.root, "add", "-A");
            git(project.root, "commit", "--quiet", "-m", "first");
            const head = git(project.root, "rev-parse", "main");
            const run = await project.run(command);
            expect(run.refusal?.what).to.equal("git-directory");
            expect(run.refusal?.text).to.contain(change);
            expect(git(project.root, "rev-parse", "main")).to.equal(head);
        });
    }

    it("Reading how HEAD moved fetches nothing that a repository lacks", async () => {
        const project = await ContainedProject.make(TREE);
        const run = (...words: string[]) => git(project.root, ...words).trim();
        run("add", "-A");
        run("commit", "--quiet", "-m", "first");
        const lacking = run("commit-tree", "HEAD^{tree}", "-m", "lacking");
        run("branch", "old", run("commit-tree", "HEAD^{tree}", "-p", lacking, "-m", "old"));
        rmSync(path.join(project.root, ".git/objects", lacking.slice(0, 2), lacking.slice(2)));
        const trace = path.join(project.home, "it-ran");
        const program = path.join(project.home, "evil.sh");
        writeFileSync(program, `#!/bin/sh\necho x >>'${trace}'\n`, { mode: 0o755 });
        for (const [name, value] of [
            ["remote.origin.url", `ext::${program}`],
            ["remote.origin.promisor", "true"],
            ["extensions.partialClone", "origin"],
            ["protocol.ext.allow", "always"],
        ] as const) {
            run("config", name, value);
        }
        const { refusal } = await project.run(
            "echo new | git hash-object -w --stdin; git symbolic-ref HEAD refs/heads/old"
        );
        expect(refusal).to.equal(undefined);
        expect(existsSync(trace)).to.equal(false);
    });

    it("Git works in a second work tree whose folder is elsewhere", async () => {
        const main = await ContainedProject.make(TREE);
        git(main.root, "add", "-A");
        git(main.root, "commit", "--quiet", "-m", "first");
        const second = `${main.root}-second`;
        git(main.root, "worktree", "add", "--quiet", second);
        const project = await ContainedProject.make({}, { root: second });
        const state = {
            folder: second,
            variables: new Map([["PATH", process.env.PATH ?? ""]]),
            definitions: "",
        };
        const looked = await project.run("git status --porcelain; git log --format=%s", { state });
        expect(looked.outcome.stdout).to.equal("first\n");
        expect(looked.refusal).to.equal(undefined);
        const committed = await project.run(
            "git -c user.name=T -c user.email=t@example.org commit -q --allow-empty -m second",
            { state }
        );
        expect(committed.repository?.shown.changes.map(({ what }) => what)).to.deep.equal([
            `Commit to ${path.basename(second)}: "second"`,
        ]);
    });

    it("Secrets are hidden, also from those who do not name them", async () => {
        const project = await ContainedProject.make({
            ".env": "KEY=hunter2\n",
            "src/a.txt": "hunter\n",
        });
        const searched = await project.run("grep -r hunter .");
        expect(searched.outcome.stdout).to.equal("./src/a.txt:hunter\n");
        expect(searched.refusal?.text).to.equal(
            "It needs .env, which is hidden from contained commands, it says"
        );
        const removed = await project.run("rm .env");
        expect(removed.refusal?.text).to.equal(
            "Changes .env, which is hidden from contained commands"
        );
    });

    it("A tracked secret does not look changed to git", async () => {
        const project = await ContainedProject.make({ "test.pem": "key\n" });
        // Git reads a file again that is as young as its index.
        utimesSync(path.join(project.root, "test.pem"), 1e9, 1e9);
        git(project.root, "add", "-A");
        git(project.root, "commit", "--quiet", "-m", "first");
        const run = await project.run("git status --porcelain");
        expect(run.outcome.stdout + run.outcome.stderr).to.equal("");
    });

    it("A file too large to review is refused with its size", async () => {
        const run = await (await ContainedProject.make()).run("truncate -s 300000000 big");
        const text = "It changes more than can be reviewed: 1 file, 300 MB";
        expect(run.refusal).to.deep.equal({ what: "size", text });
    });

    it("Changed times alone are reported: they are not an effect, but a build may depend on them", async () => {
        const project = await ContainedProject.make({ "in.txt": "in\n", "other.txt": "a\n" });
        const touched = await project.run("touch in.txt && touch -d 2020-01-01 other.txt");
        expect(touched.effects).to.deep.equal([]);
        expect(touched.notes).to.deep.equal(["Changed times were not applied: in.txt, other.txt."]);
        const changed = await project.run("echo b >other.txt && chmod +x in.txt && touch new.txt");
        expect(changed.notes).to.deep.equal([]);
    });

    it("What is written to HOME is refused, unless it is a program's own, which is thrown away", async () => {
        const project = await ContainedProject.make();
        mkdirSync(path.join(project.home, ".cache"));
        const profile = await project.run("echo x >>~/.bashrc");
        expect(profile.refusal?.text).to.equal("It needs to write ~/.bashrc");
        const tool = await project.run("cd && mkdir .tool && echo x >.tool/state");
        expect(tool.refusal).to.equal(undefined);
        expect(tool.notes).to.deep.equal(["What it wrote to ~/.tool/state was discarded."]);
        const logs = await project.run(
            "cd && mkdir -p .npm/_logs .tool/logs && echo x >.npm/_logs/1 && echo x >.tool/logs/a && echo x >.tool/b.log"
        );
        expect(logs.notes, "nobody misses a log").to.deep.equal([]);
        const cache = await project.run("cd && mkdir -p go/pkg/sumdb && echo x >go/pkg/sumdb/tree");
        expect(cache.refusal).to.equal(undefined);
        expect(cache.notes).to.deep.equal(["What it wrote to ~/go/pkg was discarded."]);
    });

    it("A path in HOME that the command names is intended, existing or not, even in a program's own folder", async () => {
        const project = await ContainedProject.make({ "a.txt": "a\n" });
        for (const [command, written] of [
            ["mkdir -p ~/.tool/themes && cp a.txt ~/.tool/themes/x.txt", "~/.tool/themes/x.txt"],
            ['cp a.txt "$HOME/.other" && mkdir -p $HOME/.tool/themes', "~/.other"],
            [`mkdir -p ${project.home}/.tool/empty`, "~/.tool/empty/"],
        ] as const) {
            const run = await project.run(command);
            expect(run.outcome.exitCode, run.outcome.stderr).to.equal(0);
            expect(run.refusal?.text).to.equal(`It needs to write ${written}`);
        }
        const read = await project.run(
            "ls ~/.tool/themes 2>&1; cd; mkdir .tool; echo x >.tool/state"
        );
        expect(read.refusal).to.equal(undefined);
    });

    it("Bash's own errors begin as in a terminal, whether printed or sent to a file", async () => {
        const project = await ContainedProject.make({ "a.txt": "a\n" });
        const { outcome } = await project.run(
            "no-such-program\n{ cd missing; } 2>/tmp/error; cat /tmp/error; echo see /run/north/command: line 1: x"
        );
        expect(outcome.stderr).to.equal("bash: line 1: no-such-program: command not found\n");
        expect(outcome.stdout).to.equal(
            "bash: line 2: cd: missing: No such file or directory\nsee /run/north/command: line 1: x\n"
        );
    });

    it("A command that fails because it has no network is refused", async () => {
        const project = await ContainedProject.make();
        const run = await project.run("exec 3<>/dev/tcp/192.0.2.1/443");
        expect(run.refusal?.what).to.equal("network");
        const passed = await project.run("{ exec 3<>/dev/tcp/192.0.2.1/443; } 2>/dev/null; true");
        expect(passed.refusal).to.equal(undefined);
    });

    it("A command can talk to itself over the loopback of its own network", async () => {
        const project = await ContainedProject.make({
            "talk.js": `require("node:net").createServer((s) => s.end("hello")).listen(0, "127.0.0.1", function () {
                require("node:net").connect(this.address().port, "127.0.0.1").on("data", (d) => { console.log(String(d)); process.exit(); });
            });`,
        });
        const run = await project.run("node talk.js");
        expect(run.outcome.stdout).to.equal("hello\n");
    });

    it("A write outside the project fails and is refused", async () => {
        const project = await ContainedProject.make();
        const run = await project.run("echo x >/etc/north-was-here");
        expect(run.refusal?.text).to.match(/^It needs to write (\/etc\/north-was-here|outside)/);
    });

    it("No effect of a stopped command counts", async () => {
        const project = await ContainedProject.make();
        const run = await project.run("echo x >new; sleep 60", { timeoutMs: 300 });
        expect(run.outcome.timedOut).to.equal(true);
        expect(effectsOf(run)).to.deep.equal([]);
    });

    it("A cancel ends a command and all it started", async () => {
        const project = await ContainedProject.make();
        const cancel = new AbortController();
        const running = project.run("(sleep 1234.5 &) ; echo started; sleep 1234.5", {
            signal: cancel.signal,
            onOutput: () => cancel.abort(),
        });
        expect((await running).outcome.cancelled).to.equal(true);
        const left = execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8" });
        expect(left).not.to.contain("sleep 1234.5");
    });

    it("What runs in the background ends with the command", async () => {
        const project = await ContainedProject.make();
        const run = await project.run("sleep 4321.5 & (setsid sleep 4321.5 &) ; echo done");
        expect(run.outcome.stdout).to.equal("done\n");
        const left = execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8" });
        expect(left).not.to.contain("sleep 4321.5");
    });

    it("Exported variables and the folder are handed over in both directions", async () => {
        const project = await ContainedProject.make(TREE);
        const state = {
            folder: path.join(project.root, "src"),
            variables: new Map([
                ["PATH", process.env.PATH ?? ""],
                ["GREETING", "it's\nme"],
                ["API_TOKEN", "hunter2"],
                ["SSH_AUTH_SOCK", "/run/agent"],
            ]),
            definitions: 'greet() { echo "$GREETING"; }\nalias hi=greet\n',
        };
        const run = await project.run(
            "pwd; hi; env | grep -c -e TOKEN -e SSH; export NEW=1; unset GREETING; cd deep",
            { state }
        );
        expect(run.outcome.stdout).to.equal(`${project.root}/src\nit's\nme\n0\n`);
        expect(run.folder).to.equal(`${project.root}/src/deep`);
        expect([...run.variables]).to.deep.equal([
            ["NEW", "1"],
            ["GREETING", undefined],
        ]);
    });
});
