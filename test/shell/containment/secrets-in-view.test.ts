import processes from "node:child_process";
import fileSystem from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { expect } from "chai";
import { SecretsInView } from "../../../src/shell/containment/linux/secrets-in-view.js";
import { View } from "../../../src/shell/containment/linux/view.js";
import { makeFolder, writeTree } from "../../workspace/make-folder.js";

/** What a session with a home of its own masks in a folder of the machine. */
function sessionIn(machine: string): SecretsInView {
    const own = makeFolder({ "home/.ssh/id": "", "project/a": "" });
    const at = (name: string) => path.join(own, name);
    const options = { base: at("base"), root: at("project"), home: at("home"), environment: {} };
    const nothing = { settings: { show: [], hide: [] }, hiddenFolders: [] };
    const view = new View({ ...options, ...nothing, gitPlaces: { settings: [], named: [] } });
    const shown = { path: machine, source: machine, what: "system", way: "read-only" } as const;
    return new SecretsInView(shown, view);
}

/** How often folders are read during `work`, at a time of its own. */
async function readsDuring(
    time: number,
    work: () => Promise<void>,
    onRead = () => {}
): Promise<number> {
    const { readdirSync } = fileSystem;
    const { now } = Date;
    let reads = 0;
    const counted = (...parameters: unknown[]) => {
        reads += 1;
        onRead();
        return Reflect.apply(readdirSync, fileSystem, parameters) as unknown;
    };
    Object.assign(fileSystem, { readdirSync: counted });
    Object.assign(Date, { now: () => time });
    syncBuiltinESMExports();
    try {
        await work();
    } finally {
        Object.assign(fileSystem, { readdirSync });
        Object.assign(Date, { now });
        syncBuiltinESMExports();
    }
    return reads;
}

describe("Secrets in the machine's own folders", () => {
    it("A second session of the process masks what the first one found, and searches again after half a minute", async () => {
        const machine = makeFolder({ "tool/.env": "A=1\n", "tool/deep/readme": "" });
        const [first, second] = [sessionIn(machine), sessionIn(machine)];
        const time = Date.now() + 60_000;
        const masking =
            (session: SecretsInView, ...files: readonly string[]) =>
            async () => {
                await session.refresh();
                expect([...session.masked.secrets].sort()).to.deep.equal(files);
            };
        expect(await readsDuring(time, masking(first, "tool/.env"))).to.be.above(0);
        expect(await readsDuring(time, masking(second, "tool/.env"))).to.equal(0);
        writeTree(machine, { "tool/deep/.env": "A=2\n" });
        const all = ["tool/.env", "tool/deep/.env"];
        expect(await readsDuring(time + 31_000, masking(second, ...all))).to.be.above(0);
        expect(await readsDuring(time + 31_000, masking(first, ...all))).to.equal(0);
    });

    it("Where a mount below /usr splits it, only /usr/local is searched", async () => {
        const { execFile } = processes;
        const searched: unknown[] = [];
        const counted = (program: string, [top]: readonly string[], ...rest: unknown[]) => {
            searched.push(top);
            return Reflect.apply(execFile, processes, [program, ["/dev/null"], ...rest]) as unknown;
        };
        Object.assign(processes, { execFile: counted });
        syncBuiltinESMExports();
        try {
            for (const folder of ["/usr/share", "/usr/lib", "/usr/local"]) {
                await sessionIn(folder).refresh();
            }
        } finally {
            Object.assign(processes, { execFile });
            syncBuiltinESMExports();
        }
        expect(searched).to.deep.equal(["/usr/local"]);
    });

    it("The search of many folders leaves the thread to other work in between", async () => {
        const folders = Array.from({ length: 2_000 }, (_, index) => `tool-${index}/.env`);
        const machine = makeFolder(Object.fromEntries(folders.map((file) => [file, ""])));
        const session = sessionIn(machine);
        let isOver = false;
        let others = 0;
        const workBeside = () => {
            others += 1;
            if (!isOver) setImmediate(workBeside);
        };
        setImmediate(workBeside);
        const atReads = new Set<number>();
        await readsDuring(
            Date.now(),
            () => session.refresh(),
            () => atReads.add(others)
        );
        isOver = true;
        expect(session.masked.secrets).to.have.length(2_000);
        expect(atReads.size).to.be.above(2);
    });
});
