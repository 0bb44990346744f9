import { expect } from "chai";
import { renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { sha256 } from "../../src/base/sha256.js";
import { openWorkspace } from "../../src/workspace/open-workspace.js";
import { makeRepository } from "./make-folder.js";

/** A file that has just changed gets no lasting version. */
const SETTLED_MS = 150;

describe("Versions of files", () => {
    it("stay the same as long as a file does, and differ however it changes", async () => {
        const root = makeRepository({ "a.txt": "one", "b.txt": "same" });
        symlinkSync("a.txt", path.join(root, "link"));
        const workspace = openWorkspace({ root });
        const versions = () => workspace.versions(["a.txt", "b.txt", "link", "missing"]);
        await setTimeout(SETTLED_MS);
        const first = await versions();
        expect([...first.keys()]).to.deep.equal(["a.txt", "b.txt"]);
        expect(await versions()).to.deep.equal(first);
        const file = path.join(root, "a.txt");
        const changes = [
            () => writeFileSync(file, "two"),
            () => {
                writeFileSync(`${file}.new`, "six");
                renameSync(`${file}.new`, file);
            },
            () => {
                writeFileSync(file, "ten");
                utimesSync(file, 1, 1);
            },
        ];
        let last = first;
        for (const change of changes) {
            change();
            await setTimeout(SETTLED_MS);
            const next = await versions();
            expect(next.get("a.txt")).not.to.equal(last.get("a.txt"));
            expect(next.get("b.txt")).to.equal(first.get("b.txt"));
            last = next;
        }
    });

    it("differ for a file that changes twice in one tick of the clock", async () => {
        const root = makeRepository();
        const workspace = openWorkspace({ root });
        const seen = new Set<string | undefined>();
        for (let turn = 0; turn < 20; turn += 1) {
            writeFileSync(path.join(root, "a.txt"), String(turn % 10));
            seen.add((await workspace.versions(["a.txt"])).get("a.txt"));
        }
        expect(seen.size).to.equal(20);
    });

    it("are those of the view for what it changes", async () => {
        const root = makeRepository({ "a.txt": "one", "b.txt": "same" });
        await setTimeout(SETTLED_MS);
        const contents = new Map(["two", "six"].map((text) => [sha256(text), Buffer.from(text)]));
        const draft = (text: string) =>
            new Map([
                ["a.txt", { path: "a.txt", beforeHash: sha256("one"), afterHash: sha256(text) }],
            ]);
        let view = draft("two");
        const get = async (hash: string) => contents.get(hash) ?? Buffer.of();
        const project = openWorkspace({ root });
        const inView = project.inView({ view: () => view, contents: { get } });
        const versions = () => inView.versions(["a.txt", "b.txt"]);
        const real = await project.versions(["a.txt", "b.txt"]);
        const first = await versions();
        expect(first.get("a.txt")).not.to.equal(real.get("a.txt"));
        expect(first.get("b.txt")).to.equal(real.get("b.txt"));
        view = draft("six");
        expect((await versions()).get("a.txt")).not.to.equal(first.get("a.txt"));
    });
});
