import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";

const PROGRAM = `
import { openSync } from "node:fs";
import { runHook } from "./src/host/checks/run-hook.ts";
import { runTask } from "./src/host/tasks/run-task.ts";
import { startWatchdog } from "./src/shell/watchdog.ts";
const { signal } = new AbortController();
const hook = () => runHook({ command: "true" }, {}, { root: "/", signal });
const task = () =>
    runTask(
        { prompt: "Work", flags: {} },
        { program: ".", folder: ".", environment: process.env, signal }
    );
const lines = [(await hook()).exitCode];
try {
    for (;;) openSync("/dev/null");
} catch {}
startWatchdog({ id: "", shell: 1, terminal: "" }, undefined, "/bin");
lines.push(await hook().catch(({ code }) => code), (await task()).kind);
await new Promise((resolve) => setTimeout(resolve, 10));
console.log(lines.join(" "));
`;

describe("withStreams", () => {
    it("A hook or a task that finds too many open files fails, a watchdog is missing, and North goes on", async () => {
        const node = [process.execPath, "--import", "tsx", "--input-type=module", "-e", PROGRAM];
        const { stdout } = await promisify(execFile)("bash", [
            ...["-c", 'ulimit -n 100; exec "$@"', "bash"],
            ...node,
        ]);
        expect(stdout.trim()).to.equal("0 no-descriptors crashed");
    });
});
