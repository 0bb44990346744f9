import { spawn } from "node:child_process";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { bundledProgram } from "../helpers/bundled-program.js";

const PROGRAM = new URL("./stopping-program.ts", import.meta.url);

describe("Signals", () => {
    it("No SIGHUP ends the program between two runs, however many there are", async () => {
        const child = spawn(process.execPath, [bundledProgram(PROGRAM)], {
            stdio: ["ignore", "pipe", "inherit"],
        });
        let printed = "";
        child.stdout.on("data", (bytes: Buffer) => (printed += bytes.toString()));
        const closed = once(child, "close");
        await once(child.stdout, "data");
        while (child.exitCode === null && child.signalCode === null) {
            for (let time = 0; time < 50; time++) child.kill("SIGHUP");
            await setImmediate();
        }
        await closed;
        expect(printed).to.equal("begun\nended\n");
    });
});
