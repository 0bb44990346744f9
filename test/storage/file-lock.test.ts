import { expect } from "chai";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import path from "node:path";
import { withLock } from "../../src/storage/file-lock.js";
import { runChildren, startChild } from "./children.js";
import { expectError } from "./expect-error.js";
import { withReadOnlyFolder } from "./ordinary-user.js";
import { temporaryFolder } from "./temporary-folder.js";

describe("withLock", () => {
    const folder = temporaryFolder();
    const file = () => path.join(folder(), "sub", "not-there.json");

    it("locks a file that does not exist, one call at a time, in order", async () => {
        const events: string[] = [];
        await Promise.all(
            ["a", "b", "c"].map((name) =>
                withLock(file(), async () => {
                    events.push(`${name} in`);
                    await new Promise(setImmediate);
                    events.push(`${name} out`);
                })
            )
        );
        expect(events).to.deep.equal(["a in", "a out", "b in", "b out", "c in", "c out"]);
        expect(existsSync(file())).to.equal(false);
        expect(readdirSync(path.dirname(file()))).to.deep.equal([]);
    });

    it("is free again after the work failed", async () => {
        let message = "";
        await withLock(file(), () => Promise.reject(new Error("failed"))).catch(
            (error: Error) => (message = error.message)
        );
        expect(message).to.equal("failed");
        expect(await withLock(file(), () => Promise.resolve("free"))).to.equal("free");
    });

    it("gives up with a clear error while another process holds on", async () => {
        const child = startChild({ do: "hold-lock", file: file() });
        await child.said(1);
        const work = () => withLock(file(), () => Promise.resolve(), { waitMs: 100 });
        const error = await expectError(work, "locked");
        expect(error.message).to.contain(file());
        await child.kill();
    });

    it("takes over the lock of a killed process", async () => {
        const child = startChild({ do: "hold-lock", file: file() });
        await child.said(1);
        await child.kill();
        expect(await withLock(file(), () => Promise.resolve("mine"))).to.equal("mine");
    });

    it("leaves a stale lock to the process that is about to remove it, unless that one died", async () => {
        const guard = `${file()}.lock.stale`;
        mkdirSync(guard, { recursive: true });
        mkdirSync(`${file()}.lock`);
        utimesSync(`${file()}.lock`, 1000, 1000);
        const work = () => withLock(file(), () => Promise.resolve("mine"), { waitMs: 100 });
        await expectError(work, "locked");
        utimesSync(guard, 1000, 1000);
        expect(await work()).to.equal("mine");
        expect(readdirSync(path.dirname(file()))).to.deep.equal([]);
    });

    it("loses nothing when many processes find the same stale lock", async () => {
        const counter = path.join(folder(), "counter.json");
        const times = 15;
        mkdirSync(`${counter}.lock`);
        utimesSync(`${counter}.lock`, 1000, 1000);
        await runChildren(Array.from({ length: 6 }, () => ({ do: "count", file: counter, times })));
        expect(JSON.parse(readFileSync(counter, "utf8"))).to.deep.equal({ count: 6 * times });
    });

    it("notices before the work becomes visible that the lock was taken over", async () => {
        await expectError(
            () =>
                withLock(file(), async (lease) => {
                    await lease.assertHeld();
                    // What another process makes of a lock it believes to be stale.
                    utimesSync(`${file()}.lock`, 2000, 2000);
                    await lease.assertHeld();
                }),
            "locked"
        );
    });

    it("says at once that a read-only place cannot be locked", async () => {
        await withReadOnlyFolder(folder(), () =>
            expectError(() => withLock(file(), () => Promise.resolve()), "not-writable")
        );
    });
});
