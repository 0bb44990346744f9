import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, statSync } from "node:fs";

import { expect } from "chai";
import fc from "fast-check";

import { createChangeApplier } from "../../../src/workspace/apply/apply-change-set.js";
import { patient } from "../../helpers/patience.js";
import { sampledRuns } from "../../helpers/sample.js";
import { writeTree } from "../../workspace/make-folder.js";
import { ContainedProject, describeContained } from "./contained.js";

const RUNS = Number(process.env.NORTH_PROPERTY_RUNS ?? sampledRuns(25));

/** Few names, so that operations meet. */
const place = fc
    .array(fc.constantFrom("a", "b", "c d", "é"), { minLength: 1, maxLength: 3 })
    .map((names) => names.join("/"));

const operation = fc.oneof(
    fc.tuple(place, fc.integer({ min: 0, max: 99 })).map(([at, n]) => `echo ${n} >'${at}'`),
    fc.tuple(place, fc.integer({ min: 0, max: 99 })).map(([at, n]) => `echo ${n} >>'${at}'`),
    place.map((at) => `mkdir -p '${at}'`),
    place.map((at) => `rm -f '${at}'`),
    place.map((at) => `rm -rf '${at}'`),
    place.map((at) => `rmdir '${at}'`),
    place.map((at) => `rm -rf '${at}' && mkdir '${at}' && echo new >'${at}/b'`),
    place.map((at) => `: >'${at}'`),
    fc.tuple(place, place).map(([from, to]) => `mv -T '${from}' '${to}'`),
    // What cp makes of a folder copied into itself depends on the order in which it reads it.
    fc
        .tuple(place, place)
        .filter(([from, to]) => !`${to}/`.startsWith(`${from}/`))
        .map(([from, to]) => `cp -rT '${from}' '${to}'`),
    fc.tuple(place, place).map(([to, at]) => `ln -sfnT '${to}' '${at}'`),
    fc
        .tuple(place, fc.constantFrom("755", "600", "644"))
        .map(([at, mode]) => `chmod ${mode} '${at}'`),
    fc
        .tuple(place, fc.constantFrom("700", "755", "750"))
        .map(([at, mode]) => `chmod ${mode} '${at}'`)
);

const tree = fc.dictionary(
    fc.constantFrom("a/a", "a/b/a", "a/b/b", "b/c d/a", "b/é", "c d/x", "é/y/z", "top"),
    fc.string({ maxLength: 20 }),
    { maxKeys: 8 }
);

/** A contained root has no right to pass over modes; without it root is a user like any other. */
function runForReal(command: string, cwd: string): void {
    const bash = ["bash", "--noprofile", "--norc", "-c", command];
    const plain = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", ...bash];
    const [program = "", ...rest] = process.getuid?.() === 0 ? plain : bash;
    spawnSync(program, rest, { cwd });
}

/** Every path but git's, with type, mode, target and content. */
function picture(root: string): string {
    const listing = execFileSync(
        "find",
        [root, "-path", `${root}/.git`, "-prune", "-o", "-printf", "%P\\t%y\\t%m\\t%l\\n"],
        { encoding: "utf8" }
    );
    const contents = execFileSync(
        "bash",
        ["-c", `cd "$1" && find . -path ./.git -prune -o -type f -exec md5sum {} +`, "-", root],
        { encoding: "utf8" }
    );
    // Reading a folder's mode does not need the mode of a link.
    return [listing, contents].map((text) => text.split("\n").sort().join("\n")).join("\n");
}

describeContained("the same as for real", () => {
    it("A project with the applied effects is what the same commands make of it for real", async function () {
        this.timeout(patient(300_000));
        const counts = { applied: 0, refused: 0 };
        await fc.assert(
            fc.asyncProperty(tree, fc.array(operation, { maxLength: 8 }), async (files, steps) => {
                const project = await ContainedProject.make();
                writeTree(project.root, files);
                const real = `${project.root}-real`;
                cpSync(project.root, real, { recursive: true, verbatimSymlinks: true });
                // Node 24 leaves the mode of the folder itself as it was.
                chmodSync(real, statSync(project.root).mode);
                const command = steps.join("\n");
                const before = picture(project.root);
                const run = await project.run(command);
                expect(picture(project.root)).to.equal(before);
                await project.containment.dispose();
                if (run.refusal) {
                    // A file in place of a folder cannot be said as a change set, and is asked about.
                    expect(run.refusal.what, run.refusal.text).to.equal("kind");
                    counts.refused += 1;
                    return;
                }
                counts.applied += 1;
                const applier = createChangeApplier({ root: project.root });
                expect(await applier.apply({ changes: run.effects })).to.include({
                    kind: "applied",
                });
                runForReal(command, real);
                expect(picture(project.root)).to.equal(picture(real));
            }),
            { numRuns: RUNS, interruptAfterTimeLimit: 120_000 }
        );
        expect(counts.applied).to.be.greaterThan(counts.refused);
    });

    it("In a locale that is not installed, a command prints nothing besides", async () => {
        const project = await ContainedProject.make();
        const variables = new Map([
            ["PATH", process.env.PATH ?? ""],
            ["LC_ALL", "xx_YY.UTF-8"],
        ]);
        const state = { folder: project.root, variables, definitions: "" };
        const { outcome } = await project.run('echo "$LC_ALL"', { state });
        expect(outcome).to.include({ stdout: "xx_YY.UTF-8\n", stderr: "" });
    });
});
