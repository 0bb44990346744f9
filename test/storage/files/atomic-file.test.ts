import { expect } from "chai";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
    sweepTemporaryFiles,
    writeFileAtomically,
} from "../../../src/storage/files/atomic-file.js";
import { startChild } from "../children.js";
import { expectError } from "../expect-error.js";
import { withReadOnlyFolder } from "../ordinary-user.js";
import { temporaryFolder } from "../temporary-folder.js";

describe("writeFileAtomically", () => {
    const folder = temporaryFolder();

    it("Writing makes private folders and a private file and leaves nothing else behind", async () => {
        const file = path.join(folder(), "new", "file.json");
        await writeFileAtomically(file, "one");
        await writeFileAtomically(file, "two");
        expect(readFileSync(file, "utf8")).to.equal("two");
        expect(statSync(file).mode & 0o777).to.equal(0o600);
        expect(statSync(path.dirname(file)).mode & 0o777).to.equal(0o700);
        expect(readdirSync(path.dirname(file))).to.deep.equal(["file.json"]);
    });

    it("A write refused at the last moment leaves the old content and no temporary file", async () => {
        const file = path.join(folder(), "file.json");
        writeFileSync(file, "old");
        const refuse = () => Promise.reject(new Error("refused"));
        let message = "";
        await writeFileAtomically(file, "new", { beforeReplace: refuse }).catch(
            (error: Error) => (message = error.message)
        );
        expect(message).to.equal("refused");
        expect(readFileSync(file, "utf8")).to.equal("old");
        expect(readdirSync(folder())).to.deep.equal(["file.json"]);
    });

    it("A read-only place is described as not writable", async () => {
        const file = path.join(folder(), "sub", "file.json");
        await withReadOnlyFolder(folder(), async () => {
            const error = await expectError(() => writeFileAtomically(file, "x"), "not-writable");
            expect(error.message).to.contain(file);
        });
    });

    it("A killed write leaves a whole file, and the next process sweeps the rest", async () => {
        const file = path.join(folder(), "file.json");
        for (const writes of [2, 5]) {
            const child = startChild({ do: "rewrite-forever", file });
            await child.said(writes);
            await child.kill();
            expect(JSON.parse(readFileSync(file, "utf8"))).to.have.property("time");
        }
        await sweepTemporaryFiles(folder());
        expect(readdirSync(folder())).to.deep.equal(["file.json"]);
    });

    it("Only temporary files of dead processes are swept", async () => {
        const child = startChild({ do: "hold-lock", file: path.join(folder(), "x") });
        await child.said(1);
        const dead = child.process.pid;
        await child.kill();
        const left = `.a.json.north-${dead}-0123456789ab.tmp`;
        const running = `.a.json.north-${process.ppid}-0123456789ab.tmp`;
        const foreign = ".a.json.tmp";
        for (const name of [left, running, foreign]) writeFileSync(path.join(folder(), name), "");
        await sweepTemporaryFiles(folder());
        const names = readdirSync(folder());
        expect(names).to.include.members([running, foreign]);
        expect(names).not.to.include(left);
    });
});
