import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { expect } from "chai";

import { sweepPrivateFolders } from "../../../src/shell/private-folder.js";
import { patient } from "../../helpers/patience.js";
import { makeRepository } from "../../workspace/make-folder.js";
import { until } from "../shells.js";
import { sampledRuns } from "../../helpers/sample.js";
import { bundledProgram } from "../../helpers/bundled-program.js";
import { describeContained } from "./contained.js";
import { PROGRAM } from "./watched-place.js";

const KILLS = Number(process.env.NORTH_KILLS ?? sampledRuns(10));

function processesWith(mark: string): string[] {
    const table = execFileSync("ps", ["-A", "-o", "pid=,args="], { encoding: "utf8" });
    return table.split("\n").filter((line) => line.includes(mark));
}

describeContained("kills", () => {
    it(`North killed at random moments leaves the project whole, no process, no mount and no folder`, async function () {
        this.timeout(patient(30_000 + KILLS * 10_000));
        const program = bundledProgram(PROGRAM);
        const home = path.dirname(makeRepository());
        for (let kill = 0; kill < KILLS; kill++) {
            const root = makeRepository({ "a.txt": "a\n", "src/b.txt": "b\n" });
            const mark = `7${process.pid}${kill}.5`;
            const layers = path.join(home, "data", "contained");
            mkdirSync(layers, { recursive: true });
            const command = `rm -rf src; echo x >a.txt; (setsid sleep ${mark} &); while :; do echo y >>new; done`;
            const child = spawn(process.execPath, [program], {
                stdio: ["pipe", "pipe", "inherit"],
            });
            child.stdin.end(JSON.stringify({ root, home, commands: [command], announce: true }));
            await once(child.stdout, "data");
            await sleep(Math.random() * 150);
            child.kill("SIGKILL");
            await once(child, "exit");
            await until("its processes are gone", () => processesWith(mark).length === 0);
            await until("its namespaces are gone", () => processesWith(root).length === 0);
            const files = execFileSync(
                "find",
                [root, "-path", "*/.git", "-prune", "-o", "-type", "f", "-print"],
                {
                    encoding: "utf8",
                }
            );
            expect(files.trim().split("\n").sort()).to.deep.equal([
                `${root}/a.txt`,
                `${root}/src/b.txt`,
            ]);
            expect(execFileSync("cat", ["/proc/mounts"], { encoding: "utf8" })).not.to.contain(
                root
            );
            await sweepPrivateFolders(layers);
            expect(
                readdirSync(layers).filter((name) => name.includes(`-${child.pid}-`))
            ).to.deep.equal([]);
        }
    });
});
