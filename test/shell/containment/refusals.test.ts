import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";

import { expect } from "chai";

import { findRefusal, type Traces } from "../../../src/shell/containment/find-refusal.js";
import { ContainedProject, describeContained } from "./contained.js";

/** What a command needs that fails without a word. */
async function needOf(project: ContainedProject, command: string): Promise<string | undefined> {
    const run = await project.run(`{ ${command}; } >/dev/null 2>&1 || exit 1`);
    expect(run.outcome.stdout + run.outcome.stderr).to.equal("");
    return run.refusal?.text;
}

describeContained("refusals", () => {
    it("A command that fails silently for want of the network is refused", async () => {
        const project = await ContainedProject.make();
        expect(await needOf(project, "exec 3<>/dev/tcp/192.0.2.1/443")).to.equal("the network");
        expect(await needOf(project, "exec 3<>/dev/tcp/127.0.0.1/9")).to.equal("the network");
        expect(await needOf(project, "exec 3<>/dev/tcp/2001:db8::1/443")).to.equal("the network");
        expect(await needOf(project, "false")).to.equal(undefined);
    });

    it("A command that fails silently and names a hidden file is refused, also by way of a link", async () => {
        const project = await ContainedProject.make({ ".env": "KEY=1\n", "a.txt": "a\n" });
        mkdirSync(path.join(project.home, ".ssh"));
        writeFileSync(path.join(project.home, ".ssh/id_rsa"), "secret\n");
        symlinkSync(path.join(project.home, ".ssh"), path.join(project.root, "keys"));
        expect(await needOf(project, "cat a.txt .env")).to.equal(".env, which is hidden");
        for (const name of [
            "~/.ssh/id_rsa",
            '"$HOME/.ssh/id_rsa"',
            "keys/id_rsa",
            "./keys/id_rsa",
        ]) {
            expect(await needOf(project, `cat ${name}`), name).to.equal(
                "~/.ssh/id_rsa, which is hidden"
            );
        }
        const inScript = await project.run("printf '%s\\n' 'cat keys/id_rsa' >x.sh; bash x.sh");
        expect(inScript.refusal?.text).to.equal("~/.ssh/id_rsa, which is hidden");
    });

    it("A failed command that names only what it can see is not refused", async () => {
        const project = await ContainedProject.make({ ".env": "KEY=1\n", "a.txt": "a\n" });
        const run = await project.run("ls -a; cat nowhere ~/nowhere; exit 1");
        expect(run.refusal).to.equal(undefined);
        const passed = await project.run("cat .env; true");
        expect(passed.refusal).to.equal(undefined);
    });

    it("A command that looks for a socket of the machine is refused, whatever it prints", async function () {
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
            expect(await needOf(project, `test -S ${socket}`)).to.equal(`the service at ${socket}`);
            expect(await needOf(project, "false")).to.equal(undefined);
        } finally {
            service.kill("SIGKILL");
            rmSync(path.dirname(socket), { recursive: true, force: true });
        }
    });

    it("A refused write is recognised in the language of the command", async function () {
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
        expect(run.refusal?.text).to.equal("to write /etc/north-was-here, it says");
    });
});

describe("the words of refusals", () => {
    function refusalOf(stderr: string, words: Partial<Traces["words"]> = {}): string | undefined {
        const outcome = { stdout: "", stderr, exitCode: 1, durationMs: 1, truncated: false };
        return findRefusal({
            outcome,
            effects: { changes: [], notes: [] },
            command: "make",
            counters: "",
            words: { readOnly: undefined, denied: undefined, missing: undefined, ...words },
            folder: "/",
            home: undefined,
            nameHidden: () => undefined,
        })?.text;
    }

    it("A refused write is known by its number, by its code and in any language", () => {
        const german = "Das Dateisystem ist nur lesbar";
        for (const line of [
            "touch: cannot touch '/etc/x': Read-only file system",
            "open /etc/x: read-only file system",
            "Error: EROFS: read-only file system, open '/etc/x'",
            "OSError: [Errno 30] Nur-Lese-Dateisystem: '/etc/x'",
            `bash: /etc/x: ${german}`,
        ]) {
            expect(refusalOf(line, { readOnly: german }), line).to.equal(
                "to write /etc/x, it says"
            );
        }
        expect(refusalOf(`bash: /etc/x: ${german}`)).to.equal(undefined);
    });
});
