import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { beginApply, endApply } from "../../../src/workspace/apply/apply-owner.js";
import { createChangeApplier } from "../../../src/workspace/apply/apply-change-set.js";
import { commitApply } from "../../../src/workspace/apply/commit.js";
import { OpenFolders } from "../../../src/workspace/apply/folder.js";
import { planApply } from "../../../src/workspace/apply/plan.js";
import { filesOnDisk } from "../../../src/workspace/tree/file-tree.js";
import { stageFile } from "../../../src/workspace/apply/stage.js";
import { stagedLocation, stageFolder } from "../../../src/workspace/apply/swap-folders.js";
import { undoApply } from "../../../src/workspace/apply/undo.js";
import { fileTypes, type FileType } from "../../../src/plugin/change-set.js";
import type { FileChange } from "../../../src/plugin/index.js";
import { refusal } from "../make-folder.js";
import { removeFolder } from "../../helpers/remove-folder.js";
import { change, hashOf, journalIn, temporaryFolder } from "./apply-fixture.js";

/** What may be at the path `p`: a file, a link, and a folder with something in it. */
const SHAPES: Readonly<Record<FileType, Readonly<Record<string, string>>>> = {
    file: { p: "text\n" },
    link: { p: "-> other" },
    folder: { "p/a": "a\n", "p/deep/b": "b\n", "p/l": "-> a" },
};
const TYPES = Object.keys(SHAPES) as FileType[];
const TRANSITIONS = TYPES.flatMap((from) =>
    TYPES.filter((to) => to !== from).map((to) => [from, to] as const)
);

describe("Applying changes of a path's type", () => {
    let top: string;
    let root: string;
    beforeEach(() => {
        top = temporaryFolder();
        root = path.join(top, "repository");
        fs.mkdirSync(path.join(root, "other"), { recursive: true });
        fs.writeFileSync(path.join(root, "other/a"), "the link's\n");
    });
    afterEach(() => removeFolder(top));

    const journal = () => path.join(top, "journal");
    const apply = (changes: readonly FileChange[]) =>
        createChangeApplier({ root, journal: journalIn(journal()) }).apply({ changes });

    function make(shape: Readonly<Record<string, string>>): void {
        for (const [name, content] of Object.entries(shape)) {
            const place = path.join(root, name);
            fs.mkdirSync(path.dirname(place), { recursive: true });
            const target = /^-> (.*)/.exec(content)?.[1];
            if (target === undefined) fs.writeFileSync(place, content);
            else fs.symlinkSync(target, place);
        }
    }

    /** All names, each with its content or target. */
    function tree(folder = ""): Record<string, string> {
        const found: Record<string, string> = {};
        for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
            const name = path.join(folder, entry.name);
            const place = path.join(root, name);
            if (entry.isDirectory()) Object.assign(found, { [`${name}/`]: "" }, tree(name));
            else if (entry.isSymbolicLink()) found[name] = `-> ${fs.readlinkSync(place)}`;
            else found[name] = fs.readFileSync(place, "utf8");
        }
        return found;
    }

    it("Each type gives way to each other, with all that was in it, and comes back", async () => {
        for (const [from, to] of TRANSITIONS) {
            make(SHAPES[from]);
            const before = tree();
            expect((await apply(changesOf(from, to))).kind, `${from} to ${to}`).to.equal("applied");
            const { p: _old, ...rest } = before;
            const others = Object.entries(rest).filter(([name]) => !name.startsWith("p/"));
            const after = { ...Object.fromEntries(others), ...withFolders(SHAPES[to]) };
            expect(tree(), `${from} to ${to}`).to.deep.equal(after);
            expect((await apply(changesOf(to, from))).kind, `${to} to ${from}`).to.equal("applied");
            expect(tree(), `${to} to ${from}`).to.deep.equal(before);
            fs.rmSync(path.join(root, "p"), { recursive: true });
        }
        expect(fs.readdirSync(journal())).to.deep.equal([]);
    });

    it("Nothing changes its type when another file of the set is stale", async () => {
        for (const [from, to] of TRANSITIONS) {
            make({ ...SHAPES[from], f: "changed" });
            const before = tree();
            const result = await apply([...changesOf(from, to), change("f", "reviewed", "after")]);
            expect(result, `${from} to ${to}`).to.deep.equal({ kind: "stale", paths: ["f"] });
            expect(tree(), `${from} to ${to}`).to.deep.equal(before);
            fs.rmSync(path.join(root, "p"), { recursive: true });
        }
    });

    it("A folder with anything that was not reviewed is not replaced", async () => {
        for (const [name, content] of [
            ["p/theirs", "t"],
            ["p/deep/theirs", "t"],
            ["p/b", "-> x"],
        ]) {
            make({ ...SHAPES.folder, [name ?? ""]: content ?? "" });
            fs.mkdirSync(path.join(root, "p/empty"));
            const before = tree();
            expect(await apply(changesOf("folder", "file"))).to.deep.equal({
                kind: "stale",
                paths: ["p"],
            });
            expect(tree()).to.deep.equal(before);
            fs.rmSync(path.join(root, "p"), { recursive: true });
        }
    });

    it("A kill at any step leaves only what was there before", async () => {
        for (const [from, to] of TRANSITIONS) {
            for (const step of ["staged", "committed"] as const) {
                make(SHAPES[from]);
                const before = tree();
                const plan = await cutOff(changesOf(from, to), step);
                expect(await undoApply(plan), `${from} to ${to}, ${step}`).to.deep.equal([]);
                expect(tree(), `${from} to ${to}, ${step}`).to.deep.equal(before);
                fs.rmSync(path.join(root, "p"), { recursive: true });
            }
        }
    });

    it("A kill between the two renames of a folder leaves what was there", async () => {
        make(SHAPES.folder);
        const before = tree();
        const plan = await cutOff(changesOf("folder", "link"), "staged");
        const file = plan.files.find((each) => each.path === "p");
        fs.renameSync(path.join(root, "p"), path.join(root, file?.kept ?? ""));
        expect(await undoApply(plan)).to.deep.equal([]);
        expect(tree()).to.deep.equal(before);
    });

    it("What somebody wrote into a new folder before the recovery is left to them", async () => {
        make(SHAPES.file);
        const plan = await cutOff(changesOf("file", "folder"), "committed");
        fs.writeFileSync(path.join(root, "p/theirs"), "t");
        expect(await undoApply(plan)).to.deep.equal(["p"]);
        expect(tree()).to.include({ "p/theirs": "t", "p/a": "a\n" });
    });

    it("A file in a folder that is replaced can only be deleted, and one in a new folder only created", async () => {
        make(SHAPES.folder);
        const [first, ...rest] = changesOf("folder", "file");
        const edited = change("p/a", "a\n", "b\n");
        const changes = [first, edited, ...rest.filter(({ path: name }) => name !== "p/a")];
        expect(await refusal(() => apply(changes.flatMap((each) => each ?? [])))).to.equal(
            "not-a-folder"
        );
        expect(tree()).to.include({ "p/a": "a\n" });
    });

    it("Git's folders and North's are not created in place of a file", async () => {
        make({ p: "text\n" });
        for (const name of ["p/.git/config", "p/.north/hooks.json"]) {
            const [first] = changesOf("file", "folder");
            const changes = [...(first ? [first] : []), change(name, null, "evil")];
            expect(await refusal(() => apply(changes)), name).to.equal("protected-path");
        }
        const parts = ["HEAD", "objects/x", "refs/x"].map((name) => change(`p/${name}`, null, "x"));
        const [first] = changesOf("file", "folder");
        const changes = [...(first ? [first] : []), ...parts];
        expect(await refusal(() => apply(changes))).to.equal("protected-path");
        expect(tree()).to.include({ p: "text\n" });
    });

    it("A new folder in place of a link is not made where the link leads", async () => {
        fs.mkdirSync(path.join(top, "outside"));
        fs.symlinkSync("../outside", path.join(root, "p"));
        const changes = [
            { ...change("p", "../outside", ""), type: "folder", typeBefore: "link" } as const,
            change("p/a", null, "a"),
        ];
        expect((await apply(changes)).kind).to.equal("applied");
        expect(fs.readdirSync(path.join(top, "outside"))).to.deep.equal([]);
        expect(fs.readFileSync(path.join(root, "p/a"), "utf8")).to.equal("a");
    });

    it("A change of type is described by both types and the earlier modes", async () => {
        make(SHAPES.file);
        fs.chmodSync(path.join(root, "p"), 0o640);
        const result = await apply(changesOf("file", "link"));
        expect(result.kind === "applied" && result.files[0]).to.deep.equal({
            path: "p",
            type: "link",
            typeBefore: "file",
            beforeHash: hashOf("text\n"),
            afterHash: hashOf("other"),
            modeBefore: 0o640,
        });
    });

    /** As far as a process gets that is killed after a step. */
    async function cutOff(changes: readonly FileChange[], step: "staged" | "committed") {
        const id = await beginApply();
        const folders = new OpenFolders();
        try {
            const place = { root, closed: [], isUnprotected: false, files: filesOnDisk };
            const plan = await planApply(id, place, { changes });
            for (const [index, file] of plan.files.entries()) {
                const staged = stagedLocation(plan, file);
                await stageFolder(plan, file, folders);
                const folder = await folders.open(staged.folder);
                const one = changes[index] as FileChange;
                await stageFile({ ...file, staged: staged.name }, one, folder, { durable: false });
            }
            if (step === "committed") await commitApply(plan, folders);
            return plan;
        } finally {
            endApply(id);
            await folders.close();
        }
    }
});

function withFolders(shape: Readonly<Record<string, string>>): Record<string, string> {
    const folders = Object.keys(shape).flatMap((name) =>
        name.includes("/") ? ["p/", ...(name.includes("deep") ? ["p/deep/"] : [])] : []
    );
    return { ...Object.fromEntries(folders.map((name) => [name, ""])), ...shape };
}

/** The change set that a contained command would be reviewed with. */
function changesOf(from: FileType, to: FileType): FileChange[] {
    const contents = (type: FileType) => (type === "folder" ? "" : plain(SHAPES[type].p ?? ""));
    const swap = { ...change("p", contents(from), contents(to)), ...fileTypes(from, to) };
    const inside = (type: FileType, isAfter: boolean) =>
        Object.entries(type === "folder" ? SHAPES.folder : {}).map(
            ([name, content]): FileChange => {
                const text = plain(content);
                const one = isAfter ? change(name, null, text) : change(name, text, null);
                return content.startsWith("-> ") ? { ...one, type: "link" } : one;
            }
        );
    const deep: FileChange[] =
        from === "folder" ? [{ ...change("p/deep", "", null), type: "folder" }] : [];
    return [swap, ...inside(from, false), ...deep, ...inside(to, true)];
}

function plain(content: string): string {
    return content.replace(/^-> /, "");
}
