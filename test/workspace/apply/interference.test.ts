import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { isExpectedError } from "../../../src/base/north-error.js";
import type { FileChange } from "../../../src/plugin/index.js";
import { createChangeApplier } from "../../../src/workspace/apply/apply-change-set.js";
import { moveOutputs } from "../../../src/workspace/apply/move-outputs.js";
import { writeTree } from "../make-folder.js";
import { removeFolder } from "../../helpers/remove-folder.js";
import { change, journalIn, temporaryFolder } from "./apply-fixture.js";
import { interfere } from "./interference.js";

const PROJECT = {
    ...{ "sub/a": "a0", "sub/deep/b": "b0", "sub/d": "d0", "sub/e": "e0", "sub/f/y": "y0" },
    ...{ "out/old": "old0", "out/gone": "gone0", "out/deep/c": "c0", "out/swap": "swap0" },
};
const LAYER = {
    ...{ "out/old": "old1", "out/new": "new1", "out/deep/c": "c1", "out/deep/more/g": "g1" },
    ...{ "out/fresh/h/i": "i1", "out/swap/j": "j1" },
};
/** Has the same names, so that a link to it leads on. */
const OUTSIDE = {
    ...{ "sub/a": "a", "sub/deep/b": "b", "sub/d": "d", "sub/f/y": "y", "sub/m/k": "k" },
    ...{ "sub/new/c": "c", "sub/e/z": "z", "out/old": "old", "out/gone": "gone" },
    ...{ "out/deep/c": "c", "out/deep/more/g": "g", "out/fresh/h/i": "i", "out/swap/j": "j" },
};

const folder = (mode: number) => ({ kind: "folder" as const, version: "", mode });
const file = { kind: "file" as const, mode: 0o644 };

describe("Interference with an apply", () => {
    let top: string;
    beforeEach(() => (top = temporaryFolder()));
    afterEach(() => removeFolder(top));

    /** What is outside, with all that a system call may change. */
    function outside(root: string) {
        const place = path.join(root, "outside");
        return fs.readdirSync(place, { recursive: true, encoding: "utf8" }).map((name) => {
            const { mode, mtimeMs, size, nlink } = fs.lstatSync(path.join(place, name));
            return { name, mode, mtimeMs, size, nlink };
        });
    }

    /** Swaps a path for a link to outside before each system call of `work`. */
    async function swapEverywhere(
        swapped: readonly string[],
        work: (at: (name: string) => string) => Promise<unknown>,
        isFar = false
    ): Promise<void> {
        const inLayer = (name: string) => name.includes("/layer/");
        for (const name of swapped) {
            for (let step = 0, calls = 1; step < calls; step += 1) {
                const at = (each: string) => path.join(top, `${step}`, each);
                for (const [where, tree] of Object.entries({
                    ...{ project: PROJECT, layer: LAYER, outside: OUTSIDE },
                })) {
                    writeTree(at(where), tree);
                }
                const before = outside(at("."));
                calls = await interfere(
                    () =>
                        work(at).catch((error: unknown) => {
                            if (!isExpectedError(error)) throw error;
                        }),
                    {
                        at: step,
                        act() {
                            const link = at(`project/${name}`);
                            if (fs.existsSync(link)) fs.renameSync(link, at("moved"));
                            if (!fs.existsSync(path.dirname(link))) return;
                            fs.symlinkSync(at(`outside/${name}`), link);
                        },
                        isBetweenSystems: (from, to) => isFar && inLayer(from) && !inLayer(to),
                    }
                );
                const what = `${name} before call ${step}`;
                expect(outside(at(".")), what).to.deep.equal(before);
                removeFolder(at("."));
            }
        }
    }

    it("Nothing outside changes, whatever becomes a link while a change set is applied", async () => {
        const typed = (each: FileChange, types: Partial<FileChange>) => ({ ...each, ...types });
        const changes = [
            change("sub/a", "a0", "a1"),
            change("sub/d", "d0", null),
            change("sub/deep/b", "b0", "b1"),
            change("sub/new/c", null, "n1"),
            typed(change("sub/e", "e0", ""), { type: "folder", typeBefore: "file" }),
            change("sub/e/z", null, "z1"),
            typed(change("sub/f", "", "f1"), { typeBefore: "folder" }),
            change("sub/f/y", "y0", null),
            typed(change("sub/m", null, ""), { type: "folder", mode: 0o700 }),
            change("sub/m/k", null, "k1"),
        ];
        await swapEverywhere(["sub", "sub/deep", "sub/m", "sub/f"], (at) => {
            const journal = journalIn(at("journal"));
            return createChangeApplier({ root: at("project"), journal }).apply({ changes });
        });
    });

    for (const [what, isFar] of [
        ["", false],
        [" from another file system", true],
    ] as const) {
        it(`Nothing outside changes, whatever becomes a link while outputs are moved${what}`, async () => {
            const swapped = ["out", "out/deep", "out/deep/more", "out/fresh", "out/swap"];
            const move = async (at: (name: string) => string) => {
                const was = (name: string) => {
                    const { ino, mtimeMs, size } = fs.lstatSync(at(`project/${name}`));
                    return { kind: "file" as const, version: `${ino} ${mtimeMs} ${size}` };
                };
                return moveOutputs(at("project"), at("layer"), [
                    { path: "out", before: folder(0), after: folder(0o755) },
                    { path: "out/deep", before: folder(0), after: folder(0o700) },
                    { path: "out/deep/c", before: was("out/deep/c"), after: file },
                    { path: "out/deep/more", after: folder(0o700) },
                    { path: "out/deep/more/g", after: file },
                    { path: "out/fresh", after: folder(0o700) },
                    { path: "out/fresh/h", after: folder(0o700) },
                    { path: "out/fresh/h/i", after: file },
                    { path: "out/gone", before: was("out/gone") },
                    { path: "out/new", after: file },
                    { path: "out/old", before: was("out/old"), after: file },
                    { path: "out/swap", before: was("out/swap"), after: folder(0o700) },
                    { path: "out/swap/j", after: file },
                ]);
            };
            await swapEverywhere(swapped, move, isFar);
        });
    }
});
