import { expect } from "chai";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ContainedProcess } from "../../../src/plugin/contained-process.js";
import { startProcess } from "../../../src/shell/containment/linux/contained-process.js";
import { PATIENCE_MS } from "../../helpers/patience.js";
import { ContainedProject, describeContained } from "./contained.js";

const text = (content: string) => Buffer.from(content);

describeContained("A contained process", () => {
    let place: ContainedProject;
    let printed = "";
    let running: ContainedProcess;

    const start = async (command: string) => {
        printed = "";
        const variables = new Map([["PATH", process.env.PATH ?? ""]]);
        const state = { folder: place.root, variables, definitions: "" };
        const onOutput = (more: string) => void (printed += more);
        running = await startProcess(place.containment, command, { state }, { onOutput });
    };
    const until = async (condition: () => boolean) => {
        for (let waited = 0; !condition() && waited < PATIENCE_MS; waited += 20) {
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
        expect(condition(), printed).to.equal(true);
    };
    const answer = async (line: string) => {
        printed = "";
        running.write(text(`${line}\n`));
        await until(() => printed.endsWith("\0"));
        return printed.slice(0, -1);
    };
    /** Runs each line that it reads. */
    const LINES = `while read -r line; do eval "$line"; printf '\\0'; done`;

    beforeEach(async () => {
        place = await ContainedProject.make({ "a.txt": "one\n", "src/b.txt": "two\n" });
    });
    afterEach(async () => {
        running?.stop();
        await running?.ended;
    });

    it("reads what it is sent and answers until it is stopped", async () => {
        await start(LINES);
        expect(await answer("cat a.txt")).to.equal("one\n");
        expect(await answer("echo größer")).to.equal("größer\n");
        running.stop();
        expect(await running.ended).to.equal("it was stopped");
    });

    it("was stopped, and does not need what it complained about before", async () => {
        await start(LINES);
        expect(await answer("echo 'sudo: a password is required' >&2; echo said")).to.equal(
            "said\n"
        );
        running.stop();
        expect(await running.ended).to.equal("it was stopped");
    });

    it("sees what it is shown, and the project stays as it is", async () => {
        await start(LINES);
        expect(await answer("cat src/b.txt")).to.equal("two\n");
        const odd = "größer\r\n'$(touch x)' \\n\n\n";
        await running.show(
            new Map([
                ["a.txt", text(odd)],
                ["new folder/ü/c.txt", text("no line break")],
                ["src/b.txt", null],
                ["-n", text("")],
            ])
        );
        expect(await answer("cat a.txt")).to.equal(odd);
        expect(await answer("cat new*/*/c.txt; ls -- -n src")).to.equal(
            "no line break-n\n\nsrc:\n"
        );
        await running.show(new Map([["a.txt", text("three")]]));
        expect(await answer("cat a.txt; ls")).to.equal("three-n\na.txt\nnew folder\nsrc\n");
        expect(readFileSync(path.join(place.root, "a.txt"), "utf8")).to.equal("one\n");
        expect(existsSync(path.join(place.root, "new folder"))).to.equal(false);
    });

    it("sees a file that an editor has replaced once it is shown", async () => {
        await start(LINES);
        expect(await answer("cat a.txt")).to.equal("one\n");
        const file = path.join(place.root, "a.txt");
        writeFileSync(`${file}.new`, "replaced\n");
        renameSync(`${file}.new`, file);
        await running.show(new Map([["a.txt", text("replaced\n")]]));
        expect(await answer("cat a.txt")).to.equal("replaced\n");
    });

    it("writes nothing outside, wherever a link leads that it has made", async () => {
        await start(LINES);
        const outside = path.join(place.home, "outside.txt");
        writeFileSync(outside, "untouched");
        await answer(`rm a.txt; ln -s ${outside} a.txt; rm -r src; ln -s ${place.home} src`);
        await running.show(
            new Map([
                ["a.txt", text("written")],
                ["src/outside.txt", text("written")],
            ])
        );
        expect(readFileSync(outside, "utf8")).to.equal("untouched");
        expect(await answer("cat a.txt")).to.equal("written");
    });

    it("says why it has ended", async () => {
        await start("echo 'no such thing' >&2; exit 3");
        expect(await running.ended).to.equal("it exited with 3: no such thing");
        const late = await running.show(new Map([["a.txt", text("x")]])).catch((error) => error);
        expect(late.code).to.equal("process-ended");
    });

    it("fails what waits for it when it is stopped", async () => {
        await start(LINES);
        // What writes for it is the first job of its shell.
        await answer("kill -STOP $!");
        const shown = running.show(new Map([["a.txt", text("x")]])).catch((error) => error);
        running.stop();
        expect((await shown).code).to.equal("process-ended");
    });

    it("is stopped if it does not read what it is sent", async () => {
        await start("sleep 600");
        const chunk = Buffer.alloc(1024 ** 2);
        for (let sent = 0; sent < 40; sent += 1) running.write(chunk);
        expect(await running.ended).to.equal("it was stopped");
    });

    it("leaves no process behind", async () => {
        const name = `north-${process.pid}-${Date.now()}`;
        await start(`(exec -a ${name} sleep 600) & ${LINES}`);
        await answer("true");
        expect(processesNamed(name)).to.equal(1);
        running.stop();
        await running.ended;
        expect(processesNamed(name)).to.equal(0);
    });
});

function processesNamed(name: string): number {
    const { stdout } = spawnSync("ps", ["-eo", "args="], { encoding: "utf8" });
    return stdout.split("\n").filter((line) => line.startsWith(name)).length;
}
