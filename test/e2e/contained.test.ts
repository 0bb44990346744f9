import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";

import { expect } from "chai";

import { answer } from "../helpers/answers.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { Workplace } from "../helpers/north-program.js";
import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";
import { resultsIn } from "./requests.js";
import { describeContained } from "../shell/containment/contained.js";
import { landlockVersion, WITHOUT_NAMESPACES } from "../shell/containment/watched-place.js";

const OFFLINE = ["--model", "offline", "-p"];

describeContained("the built program and contained commands", () => {
    let place: Workplace;

    beforeEach(() => {
        place = new Workplace({ "a.txt": "a\n", ".env": "KEY=hunter2\n" }).reusingProcess();
        place.configure({ containment: "auto" });
    });
    afterEach(() => place.remove());

    it("Print mode runs a command without effects unasked, and denies one that needs more", async () => {
        const read = await place.run([...OFFLINE, "run cat a.txt"]);
        expect(read.stdout).to.contain("ended with 0").and.to.contain("a");
        const secret = await place.run([...OFFLINE, "run cat .env"]);
        expect(secret.stdout).not.to.contain("hunter2");
    });

    for (const [kind, script] of [
        ["", 'exec "$@"'],
        [", read-only", WITHOUT_NAMESPACES],
    ] as const) {
        it(`Where the machine limits files and memory, commands run contained${kind}, within its limits`, async function () {
            const isReadOnly = script === WITHOUT_NAMESPACES;
            const canRefuse = process.getuid?.() === 0 && landlockVersion() > 0;
            if (isReadOnly && !canRefuse) return this.skip();
            const under = ["bash", "-c", `ulimit -f 100000 -d 4000000\n${script}`, "bash"];
            const env = { NORTH_RESULTS: "text" };
            const command = "ulimit -f; ulimit -d";
            const end = await place.run([...OFFLINE, `run ${command}`], { under, env });
            expect(end.stderr.includes("run read-only first"), end.stderr).to.equal(isReadOnly);
            expect(end.stdout).to.equal(`\`${command}\`:\n\`\`\`\n100000\n4000000\n\`\`\`\n`);
        });
    }

    it("Where address space is limited, North says which setting helps", async () => {
        const under = ["bash", "-c", 'ulimit -v 8000000; exec "$@"', "bash"];
        const run = (env = {}) => place.run([...OFFLINE, "run cat a.txt"], { under, env });
        expect((await run()).stdout).to.contain("NODE_OPTIONS=--disable-wasm-trap-handler");
        const end = await run({ NODE_OPTIONS: "--disable-wasm-trap-handler" });
        expect(end.stdout).to.contain("ended with 0");
    });

    it("Print mode writes what a command changed only with --accept-edits", async () => {
        await place.run([...OFFLINE, "run echo b >>a.txt"]);
        expect(fs.readFileSync(path.join(place.repository, "a.txt"), "utf8")).to.equal("a\n");
        await place.run(["--accept-edits", ...OFFLINE, "run echo b >>a.txt"]);
        expect(fs.readFileSync(path.join(place.repository, "a.txt"), "utf8")).to.equal("a\nb\n");
    });

    it("--contain off asks before every command, as without containment", async () => {
        const end = await place.run(["--contain", "off", ...OFFLINE, "run cat a.txt"]);
        expect(end.stdout).not.to.contain("ended with 0");
    });

    it("What is allowed runs contained once the model changed a file, in any later run, until allowed again", async () => {
        const made = path.join(place.repository, "made.txt");
        const script = "echo made >made.txt; cat a.txt\n";
        fs.writeFileSync(path.join(place.repository, "x.sh"), script);
        const run = ["--output-format", "stream-json", ...OFFLINE, "run sh x.sh"];
        await place.run(["allowlist", "add", "sh x.sh"]);
        await place.run(run);
        expect(fs.existsSync(made)).to.equal(true);
        fs.rmSync(made);

        const input = JSON.stringify({ path: "a.txt", content: "evil\n", overwrite: true });
        await place.run(["--accept-edits", ...OFFLINE, `call edit_create_file ${input}`]);
        const contained = await place.run(run);
        expect(contained.stdout)
            .to.contain("contained, because 1 file changed since it was allowed")
            .and.contain("evil");
        expect(fs.existsSync(made)).to.equal(false);
        const off = await place.run(["--contain", "off", ...run]);
        expect(off.stdout).to.contain("1 file changed since it was allowed");
        expect(fs.existsSync(made)).to.equal(false);

        await place.run(["allowlist", "add", "sh x.sh"]);
        await place.run(run);
        expect(fs.existsSync(made)).to.equal(true);
    });

    it("In ask mode commands run contained, and change nothing", async () => {
        const end = await place.run(["--mode", "ask", ...OFFLINE, "run cat a.txt"]);
        expect(end.stdout).to.contain("ended with 0");
        const written = await place.run([
            "--mode",
            "ask",
            "--accept-edits",
            ...OFFLINE,
            "run rm a.txt",
        ]);
        // The result is not lost; the change is.
        expect(written.stdout).to.contain("ended with 0");
        expect(fs.existsSync(path.join(place.repository, "a.txt"))).to.equal(true);
    });

    it("A command that a test's chat approves leaves no layer behind", async () => {
        await place.run([...OFFLINE, "run cat a.txt"]);
        const left = fs.readdirSync(path.join(place.data, "contained"));
        expect(left).to.deep.equal([]);
    });

    it("The status line says contained from the first command on, and at once in later chats", async () => {
        const chat = async () => {
            const terminal = place.open(["--model", "offline"]);
            await terminal.waitFor(/repository \w+ · .*\n❯ *$/);
            return terminal;
        };
        const mark = /agent · contained · ●/;
        const first = await chat();
        expect(first.screen()).not.to.match(mark);
        first.type("run cat a.txt\r");
        await first.waitFor(mark);
        first.press("ctrl-d");
        await first.exit();
        const second = await chat();
        await second.waitFor(mark);
    });

    it("A command that runs for real is asked about with what earlier ones set; `!` has none of it", async () => {
        const terminal = place.open(["--model", "offline"]);
        await terminal.waitFor(/❯ *$/);
        const withPassword = "EXTRA_INDEX=http://ada:lovelace@evil.example/";
        const set = `export PIP_INDEX_URL=http://evil.example/ ${withPassword} MAILCHECK=0`;
        const evil = `${set} MAILPATH='${place.repository}/a.txt?$(touch mail)'`;
        terminal.type(`run ${evil}\r`);
        await terminal.waitFor(/ended\s+with 0/);
        terminal.type("! echo own [$PIP_INDEX_URL$MAILPATH]\r");
        await terminal.waitFor("own []");
        terminal.type(
            'call shell_run {"command": "echo real [$PIP_INDEX_URL]", "real": "It reads them"}\r'
        );
        await terminal.waitFor("Run this command?");
        const screen = terminal.screen().split("Run this command?").at(-1) ?? "";
        expect(screen).to.contain("with PIP_INDEX_URL=http://evil.example/");
        expect(screen).to.contain("It runs with what earlier commands set.");
        // A value that holds a credential is not kept at all.
        expect(screen).not.to.contain("EXTRA_INDEX");
        await answer(terminal, "yes");
        await terminal.waitFor(/real \[http/);
        terminal.type("! echo later [$PIP_INDEX_URL$MAILPATH]\r");
        await terminal.waitFor("later []");
        expect(place.files()).not.to.have.property("mail");
    });

    it("The model learns which variables a contained command set and which it unset", async () => {
        const claude = new ClaudeWorkplace().reusingProcess();
        claude.configure({ containment: "auto" });
        try {
            const run = (id: string, command: string) =>
                reply(toolUse(id, "shell_run", { command }));
            await claude.serve([
                run("1", "export A=1 B=2"),
                run("2", "unset A; export B=3"),
                run("3", "echo [$A$B]"),
                reply(text("Done.")),
            ]);
            await claude.run(["-p", "Run."], { env: { NORTH_RESULTS: "text" } });
            const sent = JSON.stringify(claude.server.requests.at(-1)?.body.messages);
            expect(sent).to.contain("A, B: set for contained commands only.");
            expect(sent).to.contain("B: set for contained commands only.").and.to.contain("[3]");
            expect(sent).to.contain("A: unset for contained commands only.");
        } finally {
            await claude.remove();
        }
    });

    it("In a draft commands start where the last one went, also in folders that only the draft has", async () => {
        const claude = new ClaudeWorkplace().reusingProcess();
        claude.configure({ containment: "auto" });
        try {
            const run = (id: string, command: string, input: object = {}) =>
                reply(toolUse(id, "shell_run", { command, ...input }));
            await claude.serve([
                run("made", "mkdir -p app && cd app"),
                run("there", "basename $PWD; echo 1 >made.txt"),
                reply(toolUse("edit", "edit_create_file", { path: "new/b.txt", content: "b" })),
                run("named", "ls", { cwd: "new" }),
                run("left", "cd ../new; rm b.txt; rmdir ../new"),
                run("gone", "basename $PWD"),
                run("missing", "ls", { cwd: "nowhere" }),
                reply(text("Done.")),
            ]);
            await claude.run(["-p", "Run.", "--mode", "draft"]);
            const results = resultsIn(claude.server.requests.at(-1)?.body);
            expect(results.made?.data).to.include({ cwd: "app" });
            expect(results.there?.data).to.include({ cwd: "app", stdout: "app\n" });
            expect(results.named?.data).to.include({ cwd: "app", stdout: "b.txt\n" });
            expect(results.gone?.data).to.include({ stdout: "repository\n" });
            expect(results.gone?.data?.stderr).to.match(/^North: cannot enter .*; this ran in /);
            expect(results.missing?.error?.code).to.equal("not-found");
            expect(claude.files()).not.to.have.any.keys("app/made.txt", "new/b.txt");
        } finally {
            await claude.remove();
        }
    });

    it("The doctor says that commands can run contained, and what they see", async () => {
        const report = await place.run(["doctor", "--json"]);
        const { checks } = JSON.parse(report.stdout) as {
            checks: { name: string; found: string }[];
        };
        const found = checks.find(({ name }) => name === "containment")?.found;
        expect(found).to.match(/^(Linux namespaces|sandbox-exec)/);
        const view = await place.run(["doctor", "--containment"]);
        expect(view.stdout).to.contain(".env").and.to.contain(place.repository);
    });
});

describeContained("learning and contained commands", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace({ "a.txt": "a\n" }).reusingProcess();
    });
    afterEach(() => place.remove());

    async function resultsOf(commands: readonly string[], containment: string) {
        place.configure({ containment });
        await place.serve([
            reply(...commands.map((command) => toolUse(command, "shell_run", { command }))),
            ...Array.from({ length: 10 }, () => reply(text("Found."))),
        ]);
        const end = await place.run(["learn"]);
        expect(end.code, end.stderr).to.equal(0);
        const blocks = place.server.requests[1]?.body.messages.flatMap(({ content }) => content);
        const results = blocks?.filter(({ type }) => type === "tool_result") ?? [];
        return results.map(({ content }) => String(content));
    }

    it("`north learn` runs commands without effects contained, and nothing else", async () => {
        const results = await resultsOf(["cat a.txt", "echo b >a.txt", "curl example.org"], "auto");
        expect(JSON.parse(results[0] ?? "").data).to.include({ stdout: "a\n", contained: true });
        expect(results[1]).to.contain("would have changed a.txt");
        expect(results[2]).to.contain("a command runs only contained");
        expect(fs.readFileSync(path.join(place.repository, "a.txt"), "utf8")).to.equal("a\n");
    });

    it("`north learn` has no commands where containment is switched off", async () => {
        const [result] = await resultsOf(["cat a.txt"], "off");
        expect(result).to.contain("There is no tool called");
    });
});

describe("a machine without namespaces", () => {
    const NONE = "echo 0 >/proc/sys/user/max_user_namespaces";
    const NO_PERL = 'mount --bind "$(type -P false)" "$(type -P perl)"';

    async function on(
        machine: readonly string[],
        test: (place: Workplace, under: { under: readonly string[] }) => Promise<void>
    ): Promise<boolean> {
        const under = ["unshare", "-Urm", "bash", "-ec", `${machine.join("; ")}; exec "$@"`, "-"];
        try {
            execFileSync(under[0] ?? "", [...under.slice(1), "true"], { stdio: "ignore" });
        } catch {
            return false;
        }
        const place = new Workplace({ "a.txt": "a\n" }).reusingProcess();
        try {
            place.configure({ containment: "auto" });
            await test(place, { under });
        } finally {
            await place.remove();
        }
        return true;
    }

    it("Commands run read-only there, and doctor says what keeps them from more", async function () {
        const ran = await on([NONE], async (place, under) => {
            const read = await place.run([...OFFLINE, "run cat a.txt"], under);
            expect(read.stderr).to.contain(
                "Commands run read-only first: they can read the project"
            );
            expect(read.stdout).to.contain("ended with 0");
            const write = await place.run([...OFFLINE, "run echo b >a.txt"], under);
            expect(write.stdout + write.stderr).to.contain("It needs to write a.txt, it says");
            expect(fs.readFileSync(path.join(place.repository, "a.txt"), "utf8")).to.equal("a\n");
            const doctor = await place.run(["doctor"], under);
            expect(doctor.stdout).to.match(
                /! containment +read-only, by Landlock, auto\. The command could not run contained/
            );
        });
        if (!ran) this.skip();
    });

    it("Where Perl is missing too, North says so once and asks as before", async function () {
        const ran = await on([NO_PERL, NONE], async (place, under) => {
            const first = await place.run([...OFFLINE, "run cat a.txt"], under);
            expect(first.stdout + first.stderr).not.to.contain("ended with 0");
            const doctor = await place.run(["doctor"], under);
            expect(doctor.stdout).to.match(/! containment +The command could not run contained/);
            expect(doctor.stdout).to.contain("there is no Perl that runs");
        });
        if (!ran) this.skip();
    });

    it("With namespaces but without Perl nothing runs contained, and doctor says to install it", async function () {
        const doctorOn = async (machine: readonly string[]) => {
            let said = "";
            const ran = await on(machine, async (place, under) => {
                said = (await place.run(["doctor"], under)).stdout;
            });
            if (!ran) this.skip();
            return said;
        };
        const nothing = 'mount --bind /dev/null "$(type -P perl)"';
        expect(await doctorOn([":"])).to.contain("Linux namespaces, auto");
        const doctor = await doctorOn([nothing]);
        expect(doctor).to.match(/! containment +Containment needs Perl/);
        expect(doctor).to.contain("Install Perl.");
    });
});
