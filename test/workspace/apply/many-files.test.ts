import fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { createObjectStore } from "../../../src/storage/files/object-store.js";
import { createChangeApplier } from "../../../src/workspace/apply/apply-change-set.js";
import { callsOf, syncsOf } from "../../helpers/file-system-calls.js";
import { removeFolder } from "../../helpers/remove-folder.js";
import {
    change,
    changeSet,
    hashOf,
    journalIn,
    snapshot,
    temporaryFolder,
} from "./apply-fixture.js";

const FILES = 120;
const before = (index: number) => `before ${index}\n`;
const after = (index: number) => `after ${index}\n`;
const nameOf = (index: number) => `packages/p${index % 12}/src/f${index}.ts`;
const each = <Value>(make: (index: number) => Value) =>
    Array.from({ length: FILES }, (_, i) => make(i));

describe("A change of many files", () => {
    const searchPath = process.env.PATH;
    let top: string;
    let root: string;

    beforeEach(() => {
        top = temporaryFolder();
        root = path.join(top, "repository");
        for (let index = 0; index < FILES; index += 1) {
            const file = path.join(root, nameOf(index));
            fs.mkdirSync(path.dirname(file), { recursive: true });
            fs.writeFileSync(file, before(index));
        }
    });
    afterEach(() => {
        process.env.PATH = searchPath;
        removeFolder(top);
    });

    const apply = () => {
        const changes = each((index) => change(nameOf(index), before(index), after(index)));
        const journal = journalIn(path.join(top, "journal"));
        return createChangeApplier({ root, journal }).apply(changeSet(...changes));
    };
    const written = () =>
        Object.fromEntries(
            Object.entries(snapshot(root)).filter(([, text]) => text !== "<folder>")
        );

    /** Puts a program called `sync` first, and returns how often it was run so far. */
    function syncProgram(script: string): () => number {
        const folder = path.join(top, "programs");
        const trace = path.join(top, "syncs");
        fs.mkdirSync(folder);
        fs.writeFileSync(
            path.join(folder, "sync"),
            `#!/bin/sh\necho "$@" >> ${trace}\n${script}\n`,
            {
                mode: 0o755,
            }
        );
        process.env.PATH = `${folder}:${searchPath}`;
        return () =>
            fs.existsSync(trace) ? fs.readFileSync(trace, "utf8").split("\n").length - 1 : 0;
    }

    it("A large change set takes three syncs in all, and leaves nothing but the files", async function () {
        if (process.platform !== "linux") this.skip();
        const programs = syncProgram('exec /usr/bin/env PATH=/usr/bin:/bin sync "$@"');
        const single = await syncsOf(apply);
        expect(single + programs()).to.equal(3);
        expect(written()).to.deep.equal(Object.fromEntries(each((i) => [nameOf(i), after(i)])));
    });

    it("Where file systems cannot be synced as a whole, each file is synced", async function () {
        if (process.platform !== "linux") this.skip();
        syncProgram("exit 1");
        expect(await syncsOf(apply)).to.be.greaterThan(FILES);
        expect(written()[nameOf(7)]).to.equal(after(7));
    });

    it("Each folder of a large change set is resolved once", async () => {
        expect(await callsOf("realpath", apply)).to.be.lessThan(30);
    });

    it("Many contents are kept for undo with one sync", async function () {
        if (process.platform !== "linux") this.skip();
        const store = createObjectStore(top);
        const programs = syncProgram('exec /usr/bin/env PATH=/usr/bin:/bin sync "$@"');
        const contents = each((index) => Buffer.from(after(index)));
        const single = await syncsOf(() => store.putAll([...contents, ...contents]));
        expect(single + programs()).to.equal(1);
        const kept = await Promise.all(contents.map((bytes) => store.get(hashOf(bytes))));
        expect(kept.map(String)).to.deep.equal(each(after));
    });
});
