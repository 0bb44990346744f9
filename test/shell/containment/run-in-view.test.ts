import { expect } from "chai";
import fc from "fast-check";
import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { ContainedRun } from "../../../src/shell/containment/containment.js";
import { PATIENCE_MS, patient } from "../../helpers/patience.js";
import { changesBetween, steps, take } from "../../helpers/random-changes.js";
import { makeFolder, makeRepository, PROPERTY_RUNS } from "../../workspace/make-folder.js";
import { ContainedProject, describeContained, effectsOf, optionsFor } from "./contained.js";
import { openContainment } from "../../../src/shell/containment/open-containment.js";

const START = {
    "a.ts": "one\n",
    "b.txt": "text\n",
    "src/a.ts": "in src\n",
    "src/docs/b.txt": "deep\n",
    "docs/größe.md": "groß\n",
    "dist/out.js": "built\n",
    ".env": "KEY=1\n",
};

const LOOK = `find . -path ./.git -prune -o -printf '%y %m %p %l\\n' | sort; find . -path ./.git -prune -o -type f -readable -print0 | sort -z | xargs -0r sha256sum`;

/** What commands do that nobody planned. */
const command = fc.constantFrom(
    "rm -rf src",
    "rm -rf docs && mkdir docs && echo new > docs/new.txt",
    "mkdir -p src/deep && echo x > src/deep/x",
    "echo more >> a.ts",
    "mv a.ts moved.ts",
    "chmod 755 b.txt",
    "ln -sf b.txt link",
    "rm -f b.txt; mkdir b.txt; echo in > b.txt/in",
    "mkdir empty",
    "cp -r src copied",
    "mkdir -p dist && echo built > dist/out.js",
    "echo new > größe.md",
    "touch a.ts",
    "printf 'a\\0b' > binary"
);

async function projectAt(root: string): Promise<ContainedProject["containment"]> {
    const home = path.join(path.dirname(root), `home-${path.basename(root)}`);
    mkdirSync(home, { recursive: true });
    const opened = await openContainment(optionsFor(root, home));
    if (opened.kind === "unavailable") throw new Error(opened.reason);
    return opened.containment;
}

function request(root: string, text: string) {
    const variables = new Map([["PATH", process.env.PATH ?? ""]]);
    const { signal } = new AbortController();
    return {
        command: text,
        state: { folder: root, variables, definitions: "" },
        timeoutMs: PATIENCE_MS,
        signal,
    };
}

/** What a run changed, byte for byte, in the order of the paths. */
function changed({ effects, refusal, outputs, outcome }: ContainedRun) {
    const all = effects.map(({ before, after, ...rest }) => ({
        ...rest,
        before: before && Buffer.from(before).toString("hex"),
        after: after && Buffer.from(after).toString("hex"),
    }));
    all.sort((one, other) => (one.path < other.path ? -1 : 1));
    return {
        all,
        refusal: refusal?.text,
        outputs: outputs.map(({ path: file }) => file).sort(),
        code: outcome.exitCode,
    };
}

describeContained("A run in a view", () => {
    it("A command in a view sees the tree of a real copy, and changes the same.", async function () {
        this.timeout(patient(300_000));
        await fc.assert(
            fc.asyncProperty(
                steps(8),
                steps(4),
                fc.array(command, { maxLength: 3 }),
                async (first, second, commands) => {
                    const root = makeRepository(START);
                    const copy = path.join(makeFolder(), path.basename(root));
                    cpSync(root, copy, {
                        recursive: true,
                        verbatimSymlinks: true,
                        preserveTimestamps: true,
                    });
                    const [inView, real] = [await projectAt(root), await projectAt(copy)];
                    try {
                        for (const taken of [first, second]) {
                            take(copy, taken);
                            const { changes: files, contents } = changesBetween(root, copy);
                            const view = { files, contents };
                            const text = `${LOOK}\n${commands.join("\n")}`;
                            const one = await inView.run({ ...request(root, text), view });
                            const other = await real.run(request(copy, text));
                            expect(one.outcome.stdout, one.outcome.stderr).to.equal(
                                other.outcome.stdout
                            );
                            expect(changed(one)).to.deep.equal(changed(other));
                        }
                    } finally {
                        await Promise.all([inView.dispose(), real.dispose()]);
                        for (const folder of [root, path.dirname(copy)]) {
                            rmSync(folder, { recursive: true, force: true });
                        }
                    }
                }
            ),
            { numRuns: Math.ceil(PROPERTY_RUNS / 15) }
        );
    });

    it("A test in a draft sees what an earlier run of the draft built, and the project does not.", async () => {
        const outputRules = { reviewed: () => Promise.resolve(() => false) };
        const tree = { "a.ts": "one\n", "dist/old.js": "old\n" };
        const project = await ContainedProject.make(tree, { outputRules });
        const draft = "d1";
        const build = "mkdir -p dist/deep && echo new > dist/deep/new.js && rm dist/old.js";

        const built = await project.run(build, { draft });
        const seen = await project.run(
            "find dist -type f; rm -rf dist; mkdir dist; echo > dist/last",
            { draft }
        );
        const last = await project.run("find dist -type f", { draft });
        const other = await project.run("find dist -type f", { draft: "d2" });

        expect(built.outputs.map(({ path: file }) => file)).to.include("dist/deep/new.js");
        expect(built.layer).to.equal(undefined);
        expect(seen.outcome.stdout).to.equal("dist/deep/new.js\n");
        expect(last.outcome.stdout).to.equal("dist/last\n");
        expect(other.outcome.stdout).to.equal("dist/old.js\n");
        expect(existsSync(path.join(project.root, "dist/deep"))).to.equal(false);
    });

    it("What a command changes in a view is relative to the view.", async () => {
        const project = await ContainedProject.make({ "a.ts": "one\n", "b.ts": "two\n" });
        const copy = makeFolder({ "a.ts": "drafted\n", "new/c.ts": "three\n" });
        const { changes: files, contents } = changesBetween(project.root, copy);

        const run = await project.run("cat a.ts new/c.ts; ls; echo more >> a.ts; rm new/c.ts", {
            view: { files, contents },
        });

        expect(run.outcome.stdout).to.equal("drafted\nthree\na.ts\nnew\n");
        expect(effectsOf(run)).to.deep.equal(["~a.ts", "-new/c.ts"]);
        expect(Buffer.from(run.effects[0]?.before ?? []).toString()).to.equal("drafted\n");
        expect(Buffer.from(run.effects[0]?.after ?? []).toString()).to.equal("drafted\nmore\n");
    });
});
