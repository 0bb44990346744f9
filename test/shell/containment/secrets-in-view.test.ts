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
    const view = new View({ ...options, settings: { show: [], hide: [] }, hiddenFolders: [] });
    const shown = { path: machine, source: machine, what: "system", way: "read-only" } as const;
    return new SecretsInView(shown, view);
}

/** How often folders are read during `work`, at a time of its own. */
function readsDuring(time: number, work: () => void): number {
    const { readdirSync } = fileSystem;
    const { now } = Date;
    let reads = 0;
    const counted = (...parameters: unknown[]) => {
        reads += 1;
        return Reflect.apply(readdirSync, fileSystem, parameters) as unknown;
    };
    Object.assign(fileSystem, { readdirSync: counted });
    Object.assign(Date, { now: () => time });
    syncBuiltinESMExports();
    try {
        work();
    } finally {
        Object.assign(fileSystem, { readdirSync });
        Object.assign(Date, { now });
        syncBuiltinESMExports();
    }
    return reads;
}

describe("Secrets in the machine's own folders", () => {
    it("A second session of the process masks what the first one found, and searches again after half a minute", () => {
        const machine = makeFolder({ "tool/.env": "A=1\n", "tool/deep/readme": "" });
        const [first, second] = [sessionIn(machine), sessionIn(machine)];
        const time = Date.now() + 60_000;
        const expectMasked = (session: SecretsInView, ...files: readonly string[]) =>
            expect([...session.list().secrets].sort()).to.deep.equal(files);
        expect(readsDuring(time, () => expectMasked(first, "tool/.env"))).to.be.above(0);
        expect(readsDuring(time, () => expectMasked(second, "tool/.env"))).to.equal(0);
        writeTree(machine, { "tool/deep/.env": "A=2\n" });
        const all = ["tool/.env", "tool/deep/.env"];
        expect(readsDuring(time + 31_000, () => expectMasked(second, ...all))).to.be.above(0);
        expect(readsDuring(time + 31_000, () => expectMasked(first, ...all))).to.equal(0);
    });
});
