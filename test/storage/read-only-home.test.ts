import { spawnSync } from "node:child_process";
import { expect } from "chai";
import { existsSync } from "node:fs";
import path from "node:path";
import { startChild } from "./children.js";
import { temporaryFolder } from "./temporary-folder.js";

// A file system of its own for one process needs a kernel that lets everybody have one; elsewhere
// the tests of each file cover folders without permission and limits of size.
const canMount = spawnSync("unshare", ["-rm", "true"]).status === 0;

async function writeEverything(folder: string, mountOptions: string): Promise<string[]> {
    const mount = `mount -t tmpfs -o ${mountOptions} none ${folder} && exec "$@"`;
    const task = { do: "write-everything", root: folder } as const;
    const dataFolder = path.join(folder, "home", ".north");
    const child = startChild({ ...task, dataFolder }, `exec unshare -rm sh -c '${mount}' sh "$@"`);
    expect(await child.ended()).to.equal(0);
    return child.lines;
}

if (canMount) {
    describe("Home folder that cannot be written", () => {
        const folder = temporaryFolder();

        it("North works while the home folder is writable", async () => {
            const lines = await writeEverything(folder(), "size=1m");
            expect(lines).to.deep.equal(Array(5).fill("done"));
            expect(existsSync(path.join(folder(), "home"))).to.equal(false);
        });

        it("A read-only home folder is reported in plain words", async () => {
            const lines = await writeEverything(folder(), "ro");
            expect(lines).to.deep.equal(Array(5).fill("not-writable"));
        });

        it("A full home folder is reported in plain words", async () => {
            const lines = await writeEverything(folder(), "size=4k,nr_inodes=2");
            expect(lines).to.deep.equal(Array(5).fill("disk-full"));
        });
    });
}
