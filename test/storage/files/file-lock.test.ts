import { expect } from "chai";
import fs, {
    existsSync,
    lutimesSync,
    readdirSync,
    readFileSync,
    readlinkSync,
    symlinkSync,
    unlinkSync,
    writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import {
    claimLock,
    holdLock,
    type Lease,
    sweepLocks,
    withLock,
} from "../../../src/storage/files/file-lock.js";
import { describeOwner } from "../../../src/base/owner.js";
import { runChildren, startChild } from "../children.js";
import { expectError } from "../expect-error.js";
import { withReadOnlyFolder } from "../ordinary-user.js";
import { temporaryFolder } from "../temporary-folder.js";

describe("withLock", () => {
    const folder = temporaryFolder();
    const file = () => path.join(folder(), "sub", "not-there.json");

    it("A file that does not exist is locked, one call at a time in order", async () => {
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

    it("The lock is released when the work fails", async () => {
        let message = "";
        await withLock(file(), () => Promise.reject(new Error("failed"))).catch(
            (error: Error) => (message = error.message)
        );
        expect(message).to.equal("failed");
        expect(await withLock(file(), () => Promise.resolve("free"))).to.equal("free");
    });

    describe("where the file system has no links", () => {
        const { symlinkSync: link } = fs;
        before(() => {
            fs.symlinkSync = () => {
                throw Object.assign(new Error("no links"), { code: "EPERM" });
            };
            syncBuiltinESMExports();
        });
        after(() => {
            fs.symlinkSync = link;
            syncBuiltinESMExports();
        });

        it("Without links one call at a time holds a lock, and nothing is left of it", async () => {
            let inside = 0;
            const work = async (lease: Lease) => {
                inside += 1;
                expect(inside).to.equal(1);
                await new Promise(setImmediate);
                await lease.assertHeld();
                inside -= 1;
            };
            await Promise.all([1, 2, 3].map(() => withLock(file(), work)));
            expect(readdirSync(path.dirname(file()))).to.deep.equal([]);
        });

        it("Without links a lock in other hands is waited for, and a dead one is taken over", async () => {
            const place = `${file()}.lock`;
            const claimed = await claimLock(place);
            const second = await claimLock(place);
            expect(second).to.deep.include({ kind: "busy", process: process.pid });
            if (claimed.kind === "held") claimed.release();
            const dead = (await describeOwner()).replace(`-${process.pid}-`, "-99999999-");
            fs.mkdirSync(path.join(place, dead), { recursive: true });
            expect(await withLock(file(), async () => "taken over")).to.equal("taken over");
            fs.mkdirSync(path.join(place, dead), { recursive: true });
            await sweepLocks(path.dirname(place));
            expect(readdirSync(path.dirname(place))).to.deep.equal([]);
        });
    });

    it("Waiting for a lock held by another process ends with a clear error", async () => {
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

    it("The lock of a killed process is taken over at the first try", async () => {
        await orphan(file());
        const work = () => Promise.resolve("mine");
        expect(await withLock(file(), work, { waitMs: -1 })).to.equal("mine");
        expect(readdirSync(path.dirname(file()))).to.deep.equal([]);
    });

    it("A file in the place of a lock is named at once, since nobody will release it", async () => {
        const lock = path.join(folder(), "a.holder");
        writeFileSync(lock, "copied");
        const error = await expectError(() => holdLock(lock), "locked");
        expect(error.message).to.equal(`${lock} is a file, not a lock.`);
        expect(error.nextSteps).to.deep.equal(["Delete it and try again."]);
    });

    it("A lock is swept with other leftovers only once its owner is gone", async () => {
        const dead = await orphan(file());
        symlinkSync(dead, `${file()}.lock.0123456789ab`);
        symlinkSync(await describeOwner(), `${file()}.holder`);
        await sweepLocks(path.dirname(file()));
        expect(readdirSync(path.dirname(file()))).to.deep.equal(["not-there.json.holder"]);
    });

    it("Another process with a reused pid is not the owner", async () => {
        const owner = (await orphan(file())).split("-");
        owner.splice(1, 2, String(process.ppid), "before the machine was restarted");
        unlinkSync(`${file()}.lock`);
        symlinkSync(owner.join("-"), `${file()}.lock`);
        expect(await withLock(file(), () => Promise.resolve("mine"))).to.equal("mine");
    });

    it("A fresh lock of another machine's process is left alone", async () => {
        const owner = (await orphan(file())).replace(/^[^-]+/, "00000000");
        unlinkSync(`${file()}.lock`);
        symlinkSync(owner, `${file()}.lock`);
        const work = () => withLock(file(), () => Promise.resolve("mine"), { waitMs: 50 });
        await expectError(work, "locked");
        lutimesSync(`${file()}.lock`, 1000, 1000);
        expect(await work()).to.equal("mine");
    });

    it("An orphan is left to the process about to remove it, unless that one died", async () => {
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

    it("Many processes that find the same orphan lose nothing", async () => {
        const counter = path.join(folder(), "counter.json");
        const times = 5;
        await orphan(counter);
        await runChildren(Array.from({ length: 6 }, () => ({ do: "count", file: counter, times })));
        expect(JSON.parse(readFileSync(counter, "utf8"))).to.deep.equal({ count: 6 * times });
        expect(readdirSync(folder())).to.deep.equal(["counter.json"]);
    });

    it("A stolen lock is noticed before the work becomes visible", async () => {
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

    it("A read-only place is reported at once as not lockable", async () => {
        await withReadOnlyFolder(folder(), () =>
            expectError(() => withLock(file(), () => Promise.resolve()), "not-writable")
        );
    });

    it("A lock held for long whose renewal the disk refuses ends nothing", async () => {
        const [{ setInterval: original }, { lutimesSync: touch }] = [globalThis, fs];
        const renewals: (() => void)[] = [];
        const failures: unknown[] = [];
        const note = (error: unknown) => void failures.push(error);
        const others = process.rawListeners("unhandledRejection") as (() => void)[];
        process.removeAllListeners("unhandledRejection").on("unhandledRejection", note);
        Object.assign(globalThis, {
            setInterval: (renew: () => void) => {
                renewals.push(renew);
                return original(() => {}, 1_000);
            },
        });
        let refused = 0;
        fs.lutimesSync = () => {
            refused += 1;
            throw Object.assign(new Error("read-only file system"), { code: "EROFS" });
        };
        syncBuiltinESMExports();
        try {
            const claim = await holdLock(`${file()}.holder`);
            for (const renew of renewals) renew();
            await new Promise((resolve) => setTimeout(resolve, 20));
            expect([refused, failures]).to.deep.equal([1, []]);
            if (claim.kind === "held") claim.release();
        } finally {
            process.removeAllListeners("unhandledRejection");
            for (const other of others) process.on("unhandledRejection", other);
            fs.lutimesSync = touch;
            syncBuiltinESMExports();
            Object.assign(globalThis, { setInterval: original });
        }
    });
});
