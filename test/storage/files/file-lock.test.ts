import { expect } from "chai";
import {
    existsSync,
    lutimesSync,
    readdirSync,
    readFileSync,
    readlinkSync,
    symlinkSync,
    unlinkSync,
} from "node:fs";
import path from "node:path";
import { sweepLocks, withLock } from "../../../src/storage/files/file-lock.js";
import { describeOwner } from "../../../src/base/owner.js";
import { runChildren, startChild } from "../children.js";
import { expectError } from "../expect-error.js";
import { withReadOnlyFolder } from "../ordinary-user.js";
import { temporaryFolder } from "../temporary-folder.js";

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

    /** What a killed process leaves: its lock. */
    async function orphan(locked: string): Promise<string> {
        const child = startChild({ do: "hold-lock", file: locked });
        await child.said(1);
        await child.kill();
        return readlinkSync(`${locked}.lock`);
    }

    const nonce = (owner: string) => owner.split("-").at(-1);

    it("takes over the lock of a killed process at the first try", async () => {
        await orphan(file());
        const work = () => Promise.resolve("mine");
        expect(await withLock(file(), work, { waitMs: -1 })).to.equal("mine");
        expect(readdirSync(path.dirname(file()))).to.deep.equal([]);
    });

    it("is swept away with other leftovers when its owner is gone, and only then", async () => {
        const dead = await orphan(file());
        symlinkSync(dead, `${file()}.lock.0123456789ab`);
        symlinkSync(await describeOwner(), `${file()}.holder`);
        await sweepLocks(path.dirname(file()));
        expect(readdirSync(path.dirname(file()))).to.deep.equal(["not-there.json.holder"]);
    });

    it("does not take another process of the same id for the owner", async () => {
        const owner = (await orphan(file())).split("-");
        owner.splice(1, 2, String(process.ppid), "before the machine was restarted");
        unlinkSync(`${file()}.lock`);
        symlinkSync(owner.join("-"), `${file()}.lock`);
        expect(await withLock(file(), () => Promise.resolve("mine"))).to.equal("mine");
    });

    it("leaves the lock of another machine's process alone while it is fresh", async () => {
        const owner = (await orphan(file())).replace(/^[^-]+/, "00000000");
        unlinkSync(`${file()}.lock`);
        symlinkSync(owner, `${file()}.lock`);
        const work = () => withLock(file(), () => Promise.resolve("mine"), { waitMs: 50 });
        await expectError(work, "locked");
        lutimesSync(`${file()}.lock`, 1000, 1000);
        expect(await work()).to.equal("mine");
    });

    it("leaves an orphan to the process that is about to remove it, unless that one died", async () => {
        const dead = await orphan(file());
        const right = `${file()}.lock.${nonce(dead)}`;
        symlinkSync(await describeOwner(), right);
        const work = () => withLock(file(), () => Promise.resolve("mine"), { waitMs: 50 });
        await expectError(work, "locked");
        unlinkSync(right);
        symlinkSync(dead.replace(/.{12}$/, "0123456789ab"), right);
        expect(await work()).to.equal("mine");
        expect(readdirSync(path.dirname(file()))).to.deep.equal([]);
    });

    it("loses nothing when many processes find the same orphan", async () => {
        const counter = path.join(folder(), "counter.json");
        const times = 5;
        await orphan(counter);
        await runChildren(Array.from({ length: 6 }, () => ({ do: "count", file: counter, times })));
        expect(JSON.parse(readFileSync(counter, "utf8"))).to.deep.equal({ count: 6 * times });
        expect(readdirSync(folder())).to.deep.equal(["counter.json"]);
    });

    it("notices before the work becomes visible that the lock was taken over", async () => {
        await expectError(
            () =>
                withLock(file(), async (lease) => {
                    await lease.assertHeld();
                    unlinkSync(`${file()}.lock`);
                    symlinkSync("somebody else", `${file()}.lock`);
                    await lease.assertHeld();
                }),
            "locked"
        );
        expect(readlinkSync(`${file()}.lock`)).to.equal("somebody else");
    });

    it("says at once that a read-only place cannot be locked", async () => {
        await withReadOnlyFolder(folder(), () =>
            expectError(() => withLock(file(), () => Promise.resolve()), "not-writable")
        );
    });
});
