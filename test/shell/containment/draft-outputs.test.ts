import { expect } from "chai";
import fc from "fast-check";
import fileSystem, {
    chmodSync,
    chownSync,
    mkdirSync,
    readFileSync,
    statSync,
    writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { OutputKeeper } from "../../../src/host/project/contained-outputs.js";
import { ChangedLayers } from "../../../src/shell/containment/linux/changed-layers.js";
import { DraftOutputs } from "../../../src/shell/containment/linux/draft-outputs.js";
import { patient } from "../../helpers/patience.js";
import { changesBetween, snapshot } from "../../helpers/random-changes.js";
import { temporaryFolder, withoutPrivileges } from "../../workspace/apply/apply-fixture.js";
import { makeFolder, PROPERTY_RUNS, writeTree } from "../../workspace/make-folder.js";
import { ContainedProject, describeContained, effectsOf } from "./contained.js";

const RULES = { outputRules: { reviewed: () => Promise.resolve(() => false) } };
const BUILT = { "a.ts": "one\n", "dist/old.js": "old\n", "dist/deep/kept.js": "kept\n" };

/** What builds do to their folder. */
const build = fc.constantFrom(
    "mkdir -p dist && echo $RANDOM > dist/out.js",
    "mkdir -p dist/deep && echo new > dist/deep/new.js",
    "rm -rf dist",
    "rm -rf dist && mkdir dist && echo fresh > dist/fresh.js",
    "rm -rf dist/deep",
    "rm -f dist/old.js dist/out.js",
    "mv dist/deep dist/moved",
    "rm -rf dist/deep && mkdir -p dist && echo file > dist/deep",
    "rm -rf dist/deep && mkdir -p dist && ln -s old.js dist/deep",
    "mkdir -p dist && echo more >> dist/old.js && chmod 755 dist/old.js",
    "mkdir -p dist/__pycache__ && echo compiled > dist/__pycache__/a.pyc",
    "mkdir -p .pytest_cache && echo '{}' > .pytest_cache/lastfailed.json",
    "find . -name out.js -delete"
);

async function keep(project: ContainedProject, draft: string): Promise<readonly string[]> {
    const held = await project.containment.outputsOf?.(draft);
    if (!held) return [];
    const outputs = new OutputKeeper(project.root, undefined).of(held, held.command);
    const notes = await outputs.keep();
    await outputs.release();
    return notes;
}

describeContained("What commands build in a draft", () => {
    it("Keeping the outputs of a draft at its end equals keeping those of each command at once", async function () {
        this.timeout(patient(300_000));
        const runs = { numRuns: Math.ceil(PROPERTY_RUNS / 10) };
        await fc.assert(
            fc.asyncProperty(fc.array(build, { minLength: 1, maxLength: 5 }), async (commands) => {
                const [drafted, real] = [
                    await ContainedProject.make(BUILT, RULES),
                    await ContainedProject.make(BUILT, RULES),
                ];
                const before = snapshot(drafted.root);
                for (const each of commands) {
                    const command = each.replace("$RANDOM", String(commands.indexOf(each)));
                    const one = await drafted.run(command, { draft: "d1" });
                    const other = await real.run(command, { holdsOutputs: true });
                    expect(one.outcome).to.deep.include({ exitCode: other.outcome.exitCode });
                    await new OutputKeeper(real.root, undefined).of(other, command).keep();
                    await other.layer?.release();
                    expect(snapshot(drafted.root)).to.deep.equal(before);
                }
                expect(await keep(drafted, "d1")).to.deep.equal([]);
                expect(snapshot(drafted.root)).to.deep.equal(snapshot(real.root));
                expect(await drafted.containment.outputsOf?.("d1")).to.equal(undefined);
                await Promise.all([drafted, real].map((each) => each.containment.dispose()));
            }),
            runs
        );
    });

    it("A file in an ignored folder that the draft has changed stays a change of the draft", async () => {
        const project = await ContainedProject.make(BUILT, RULES);
        const copy = makeFolder({ ...BUILT, "dist/old.js": "edited\n" });
        const { changes: files, contents } = changesBetween(project.root, copy);
        const command = "echo built > dist/old.js; echo built > dist/new.js";

        const run = await project.run(command, { view: { files, contents }, draft: "d1" });

        expect(effectsOf(run)).to.deep.equal(["~dist/old.js"]);
        expect(run.outputs.map((output) => output.path)).to.deep.equal(["dist/new.js"]);
    });

    it("A run sees the same files to its end, whatever other runs of its draft build meanwhile", async () => {
        const project = await ContainedProject.make({ "a.ts": "one\n" }, RULES);
        const run = (command: string) => project.run(command, { draft: "d1" });
        await run("mkdir dist; echo 1 > dist/one; echo 1 > dist/two");
        const look = "(cd dist && grep -r . . | sort)";
        let shared = "";
        const long = await new Promise<() => ReturnType<typeof run>>((resolve, reject) => {
            const running = project.run(
                `echo began >&2; until [ -e /run/north/built ]; do sleep 0.05; done; ${look}`,
                {
                    draft: "d1",
                    prepare: async (folder) => void (shared = folder),
                    onOutput: () => resolve(() => running),
                }
            );
            running.catch(reject);
        });
        await run("echo 2 > dist/one; rm dist/two; echo 2 > dist/three");
        const after = await run(look);
        writeFileSync(path.join(shared, "built"), "");

        expect((await long()).outcome.stdout).to.equal("./one:1\n./two:1\n");
        expect(after.outcome.stdout).to.equal("./one:2\n./three:2\n");
    });

    it("What changed in the project meanwhile is left alone when outputs are kept", async () => {
        const project = await ContainedProject.make(BUILT, RULES);
        await project.run("echo built > dist/old.js; echo built > dist/new.js", { draft: "d1" });
        mkdirSync(path.join(project.root, "dist"), { recursive: true });
        writeFileSync(path.join(project.root, "dist/old.js"), "by hand\n");

        const notes = await keep(project, "d1");

        expect(notes).to.deep.equal(["Not replaced, changed meanwhile: dist/old.js."]);
        expect([...snapshot(project.root).keys()]).to.include("dist/new.js");
    });
});

describe("The outputs of a draft", () => {
    it("What is in a folder that nobody may write to is kept, with the folder's mode", async () => {
        const base = temporaryFolder();
        writeTree(base, { "project/a": "", "upper/out/shut/x": "x" });
        const at = (name: string) => path.join(base, name);
        for (const each of ["", "upper", "upper/out"]) chmodSync(at(each), 0o777);
        const left = (kind: "file" | "folder", mode: number) => ({
            ...{ group: "out/", way: "ask" as const },
            after: { kind, mode, size: 1, version: "1" },
        });
        const outputs = [
            { path: "out/shut", ...left("folder", 0o555) },
            { path: "out/shut/x", ...left("file", 0o644) },
        ];
        if (process.getuid?.() === 0) chownSync(at("upper/out/shut"), 65534, 65534);
        chmodSync(at("upper/out/shut"), 0o555);
        const drafts = new DraftOutputs(base, at("project"), () => Promise.resolve());
        const kept = await withoutPrivileges(async () => {
            await drafts.keep("d", at("upper"), { outputs, command: "make" });
            return drafts.of("d");
        });
        const shut = path.join(kept?.layer.folder ?? "", "out/shut");
        expect(statSync(shut).mode & 0o777).to.equal(0o555);
        expect(readFileSync(path.join(shut, "x"), "utf8")).to.equal("x");
        await kept?.layer.release();
    });

    it("A draft may delete more files than a file may have links", async function () {
        if (process.platform !== "linux") return this.skip();
        const names = ["a", "b", "c", "d", "e"];
        const root = makeFolder(Object.fromEntries(names.map((name) => [name, ""])));
        const layers = new ChangedLayers(temporaryFolder(), root);
        const files = new Map(
            names.map((name) => [name, { path: name, beforeHash: "1", afterHash: null }])
        );
        const { linkSync } = fileSystem;
        const limited = (from: string, to: string) => {
            const isFull = statSync(from).nlink > 2;
            if (isFull) throw Object.assign(new Error("too many links"), { code: "EMLINK" });
            linkSync(from, to);
        };
        Object.assign(fileSystem, { linkSync: limited });
        syncBuiltinESMExports();
        try {
            const contents = { get: () => Promise.resolve(Buffer.of()) };
            const changes = await layers.open({ files, contents }, undefined);
            const left = names.filter((name) => changes?.lower.entryAt(name));
            expect(left).to.deep.equal([]);
        } finally {
            Object.assign(fileSystem, { linkSync });
            syncBuiltinESMExports();
        }
    });
});
