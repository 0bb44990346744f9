import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir } from "node:fs/promises";
import path from "node:path";

import { expect } from "chai";

import { describeOwner } from "../../src/base/owner.js";
import { isRunning, makeRoot, pidsIn, TestShells, until } from "./shells.js";

const PROGRAM = path.join(import.meta.dirname, "shell-program.ts");
const COMMAND = [
    "sleep 600 & echo $!",
    "nohup sleep 600 >/dev/null 2>&1 & echo $!",
    "setsid sh -c 'echo $$; exec sleep 600' &",
    "(trap '' INT TERM HUP; while :; do sleep 1; done) & echo $!; disown",
    "echo $$",
    "sh -c 'echo $$; sleep 600'",
].join("\n");

describe("Death of North", () => {
    const children: ChildProcess[] = [];
    afterEach(() => children.splice(0).forEach((child) => child.kill("SIGKILL")));

    async function startNorth(root: string, runtime: string) {
        const options = ["--import", "tsx", PROGRAM, root, runtime, COMMAND];
        const child = spawn(process.execPath, options, { stdio: ["ignore", "pipe", "inherit"] });
        children.push(child);
        let printed = "";
        child.stdout.on("data", (bytes: Buffer) => (printed += bytes.toString()));
        await until("all processes have told their ids", () => printed.split("\n").length > 7);
        return { child, pids: pidsIn(printed) };
    }

    for (const signal of ["SIGKILL", "SIGTERM"] as const) {
        it(`After ${signal} no process and no job remains, and there was never a folder`, async () => {
            const root = await makeRoot();
            const runtime = path.join(root, "..", `runtime-${signal}`);
            await mkdir(runtime);
            const { child, pids } = await startNorth(root, runtime);
            expect(pids).to.have.lengthOf(7);
            expect(pids.filter(isRunning)).to.deep.equal(pids);
            expect(await readdir(runtime)).to.deep.equal([]);
            child.kill(signal);
            await once(child, "exit");
            await until("they are gone", () => !pids.some(isRunning));
            expect(await readdir(runtime)).to.deep.equal([]);
        });
    }
});

describe("Runtime folder", () => {
    const shells = new TestShells();
    afterEach(() => shells.disposeAll());

    it("Nothing of a session has a name in any folder, so nobody can type into it", async () => {
        const runtimeFolder = await makeRoot();
        const shell = await shells.open({ runtimeFolder });
        expect((await shell.run("echo ran; sleep 600 &")).stdout).to.equal("ran\n");
        expect(await readdir(runtimeFolder)).to.deep.equal(["sub"]);
        const { stdout } = await shell.run(`find '${runtimeFolder}' -type p -o -type f`);
        expect(stdout).to.equal("");
    });

    it("Many commands that leave something running need no name either", async () => {
        const runtimeFolder = await makeRoot();
        const shell = await shells.open({ runtimeFolder });
        for (let count = 0; count < 12; count++) {
            const { stdout } = await shell.run(`sleep 600 & echo ${count}`);
            expect(stdout).to.equal(`${count}\n`);
        }
        expect(await readdir(runtimeFolder)).to.deep.equal(["sub"]);
    });

    it("Runtime folders of dead processes are swept, and others left alone", async () => {
        const runtimeFolder = await makeRoot();
        const own = await describeOwner();
        const folderOf = (pid: number) => `north-shell-${own.replace(/-\d+-[^-]*-/, `-${pid}--`)}`;
        await mkdir(path.join(runtimeFolder, folderOf(spawnSync("true").pid)));
        await mkdir(path.join(runtimeFolder, folderOf(process.ppid)));
        const shell = await shells.open({ runtimeFolder });
        await shell.run("true");
        await shell.dispose();
        expect(await readdir(runtimeFolder)).to.deep.equal([folderOf(process.ppid), "sub"]);
    });
});
