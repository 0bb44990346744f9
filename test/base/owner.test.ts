import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { describeOwner, isGone, isOwn, ownerProcess } from "../../src/base/owner.js";
import { HAS_PROC, isProcessAlive, processStatus } from "../../src/base/process-identity.js";
import { sleep } from "../../src/base/waiting.js";

const HOUR_MS = 3_600_000;
const young = () => 0;
const old = () => 2 * HOUR_MS;

async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await sleep(5);
}

describe("owner", () => {
    /** The owner that a process with these parts would have. */
    async function owner(change: (parts: string[]) => void): Promise<string> {
        const parts = (await describeOwner()).split("-");
        change(parts);
        return parts.join("-");
    }

    it("This process is alive, however long it holds something", async () => {
        const own = await describeOwner();
        expect(ownerProcess(own)).to.equal(process.pid);
        expect(isOwn(own)).to.equal(true);
        expect(await isGone(own, old, HOUR_MS)).to.equal(false);
    });

    it("A process of the same id that started at another time is gone", async () => {
        const other = await owner((parts) => (parts[2] = "1"));
        expect(await isGone(other, young, HOUR_MS)).to.equal(true);
    });

    it("A process of another machine counts as gone once it is too old", async () => {
        const foreign = await owner((parts) => parts.splice(0, 3, "00000000", "4194304", "1"));
        expect(await isGone(foreign, young, HOUR_MS)).to.equal(false);
        expect(await isGone(foreign, old, HOUR_MS)).to.equal(true);
    });

    it("Text without a valid owner refers to no process", () => {
        expect(ownerProcess("somebody else")).to.equal(undefined);
    });

    it("A zombie process does not count as alive", async function () {
        if (!HAS_PROC) return this.skip();
        // `cat` takes the place of the shell and never waits for the shell's child.
        const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec cat"]);
        try {
            const [printed] = await once(parent.stdout, "data");
            const child = Number(String(printed));
            await until(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8") === "cat\n");
            expect(isProcessAlive(child)).to.equal(true);
            process.kill(child, "SIGKILL");
            await until(() => processStatus(child)?.[0] === "Z");
            expect(isProcessAlive(child)).to.equal(false);
        } finally {
            parent.kill();
        }
    });
});
