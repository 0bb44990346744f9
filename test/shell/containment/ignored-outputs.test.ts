import { execFileSync } from "node:child_process";
import {
    existsSync,
    lstatSync,
    mkdirSync,
    readFileSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import path from "node:path";

import { expect } from "chai";

import type { ContainedRun } from "../../../src/shell/containment/containment.js";
import { moveOutputs } from "../../../src/workspace/apply/move-outputs.js";
import { ReviewedPaths } from "../../../src/workspace/apply/reviewed-paths.js";
import { openWorkspace } from "../../../src/workspace/open-workspace.js";
import type { Tree } from "../../workspace/make-folder.js";
import { git } from "../../workspace/make-folder.js";
import { ContainedProject, describeContained, effectsOf } from "./contained.js";

const IGNORED = "dist/\ntarget/\nblib/\nlocal/\nrepos/\n.vscode/\n.hooks/\n*.log\n*.sh\n";

/** A project whose ignore file and git decide, as in a session. */
async function projectOf(tree: Tree = {}, searchPath?: string): Promise<ContainedProject> {
    const own: { rules?: ReviewedPaths; workspace?: ReturnType<typeof openWorkspace> } = {};
    const project = await ContainedProject.make(
        { ".gitignore": IGNORED, "a.txt": "a\n", ...tree },
        {
            isIgnored: async (place, type) =>
                (await own.workspace?.isIgnored(place, type)) ?? false,
            outputRules: {
                reviewed: async (links) => (await own.rules?.reviewed(links)) ?? (() => false),
            },
        }
    );
    own.rules = new ReviewedPaths(project.root, searchPath?.replaceAll("ROOT", project.root));
    own.workspace = openWorkspace({ root: project.root });
    return project;
}

/** Each output in a word: `+` made, `-` deleted, `~` changed, in the folder it is counted in. */
function outputsOf({ outputs }: ContainedRun): string[] {
    return outputs
        .filter(({ before, after }) => (after ?? before)?.kind !== "folder")
        .map(({ path: place, before, after, group }) => {
            const sign = before ? (after ? "~" : "-") : "+";
            return `${sign}${place} in ${group}`;
        });
}

/** Runs a command and moves what it left into the project. */
async function runAndKeep(project: ContainedProject, command: string) {
    const run = await project.run(command, { holdsOutputs: true });
    expect(run.refusal, run.outcome.stderr).to.equal(undefined);
    const layer = run.layer?.folder ?? "";
    const left = await moveOutputs(project.root, layer, run.outputs);
    await run.layer?.release();
    expect(existsSync(layer)).to.equal(false);
    return { run, left };
}

describeContained("what contained commands leave where git ignores it", () => {
    it("A build's files are outputs of the ignored folder, and its other changes are reviewed", async () => {
        const project = await projectOf();
        const run = await project.run(
            "mkdir -p packages/a/dist/sub; echo 1 >packages/a/dist/sub/x.js; echo 2 >y.txt; echo 3 >out.log"
        );
        expect(effectsOf(run)).to.deep.equal(["+y.txt"]);
        expect(outputsOf(run)).to.have.members([
            "+packages/a/dist/sub/x.js in packages/a/dist/",
            "+out.log in *.log",
        ]);
        expect(run.layer).to.equal(undefined);
    });

    it("Dotted names that builds leave in an ignored folder are outputs", async () => {
        const project = await projectOf();
        const run = await project.run(
            "mkdir -p target/debug/.fingerprint/a blib .benchmarks; touch target/.rustc_info.json target/debug/.cargo-lock target/debug/.fingerprint/a/lib blib/.exists"
        );
        expect(effectsOf(run)).to.deep.equal([]);
        expect(run.outputs.map(({ group }) => group)).to.include.members([
            "target/",
            "blib/",
            ".benchmarks/",
        ]);
    });

    it("What something runs later is a reviewed change, also where git ignores it", async () => {
        const project = await projectOf({
            ".git/config": "[core]\n\thooksPath = local/hooks\n",
            "repos/other/.git/HEAD": "ref: refs/heads/main\n",
        });
        mkdirSync(path.join(project.root, "local/cfg"), { recursive: true });
        symlinkSync("local/cfg", path.join(project.root, ".zed"));
        const later = [
            ".vscode/tasks.json",
            "dist/.envrc",
            "dist/.npmrc",
            "dist/.claude/settings.json",
            "dist/sub/.vscode/tasks.json",
            "dist/pre-commit",
            "local/hooks/anything",
            "local/cfg/tasks.json",
            "repos/other/src/a.ts",
            "node_modules/.bin/tool",
        ];
        const made = later.map(
            (place) => `mkdir -p ${path.dirname(place)}; echo x >${place}; chmod +x ${place}`
        );
        const links = "ln -s ../a.txt dist/link; ln -s /etc/passwd dist/absolute";
        const run = await project.run(`mkdir dist; ${made.join("; ")}; ${links}`);
        expect(outputsOf(run)).to.deep.equal([]);
        const files = effectsOf(run).filter((effect) => !effect.endsWith("/"));
        expect(files).to.have.members([
            ...later.map((place) => `+${place}`),
            "+dist/link@",
            "+dist/absolute@",
        ]);
    });

    it("A program in a folder of PATH, and a file that git tracks, are reviewed although ignored", async () => {
        const project = await projectOf({ "dist/tracked.js": "old\n" }, "/usr/bin:ROOT/dist/bin");
        git(project.root, "add", "-f", "dist/tracked.js");
        const run = await project.run(
            "mkdir -p dist/bin; echo x >dist/bin/ls; chmod +x dist/bin/ls; echo new >dist/tracked.js; echo y >dist/y.js"
        );
        expect(effectsOf(run)).to.include.members(["+dist/bin/ls", "~dist/tracked.js"]);
        expect(outputsOf(run)).to.deep.equal(["+dist/y.js in dist/*.js"]);
    });

    it("The inside of a git directory that a command creates in an ignored folder is not an output", async () => {
        const project = await projectOf({ "dist/HEAD": "ref: refs/heads/main\n" });
        const run = await project.run(
            "mkdir -p dist/objects dist/refs; printf '[core]\\n\\tfsmonitor=evil\\n' >dist/config"
        );
        expect(outputsOf(run)).to.deep.equal([]);
        expect(effectsOf(run)).to.include("+dist/config");
    });

    it("Outputs are moved with their modes and times, and nothing else comes along", async () => {
        const project = await projectOf();
        const { run, left } = await runAndKeep(
            project,
            "mkdir -p dist/sub; echo 1 >dist/sub/x; chmod 755 dist/sub/x; touch -d 2001-01-01 dist/sub/x; ln -s sub/x dist/l; echo e >dist/.envrc; mkfifo dist/pipe; rm dist/pipe; echo 2 >y.txt; mkdir -p dist/__pycache__; echo c >dist/__pycache__/a.pyc"
        );
        expect(left).to.deep.equal([]);
        const listed = execFileSync("find", ["dist", "-printf", "%P %y %m %TY %l\n"], {
            cwd: project.root,
            encoding: "utf8",
        });
        const year = new Date().getFullYear();
        expect(listed.split("\n")).to.include.members([
            "sub/x f 755 2001 ",
            `l l 777 ${year} sub/x`,
        ]);
        expect(listed).not.to.match(/envrc|pyc$|pyc /m);
        expect(existsSync(path.join(project.root, "y.txt"))).to.equal(false);
        expect(effectsOf(run)).to.have.members(["+y.txt", "+dist/.envrc"]);
    });

    it("A build is merged into the existing folder: replaced, deleted, changed in type, and kept", async () => {
        const project = await projectOf({
            "dist/same": "same\n",
            "dist/old": "old\n",
            "dist/gone/a": "a\n",
            "dist/kind/b": "b\n",
            "target/whole/c": "c\n",
        });
        const { left } = await runAndKeep(
            project,
            "echo new >dist/old; rm -r dist/gone dist/kind; echo file >dist/kind; rm -r target; mkdir -p target/whole; echo d >target/whole/d"
        );
        expect(left).to.deep.equal([]);
        const listed = execFileSync("find", ["dist", "target", "-type", "f"], {
            cwd: project.root,
            encoding: "utf8",
        });
        const files = listed.trim().split("\n").sort();
        expect(files).to.deep.equal(["dist/kind", "dist/old", "dist/same", "target/whole/d"]);
        expect(existsSync(path.join(project.root, "dist/gone"))).to.equal(false);
        expect(readFileSync(path.join(project.root, "dist/old"), "utf8")).to.equal("new\n");
    });

    it("What changed since the command began is left alone, and a link that took a folder's name is not followed", async () => {
        const project = await projectOf({ "dist/a": "1\n", "dist/b": "1\n", "local/c": "1\n" });
        const run = await project.run(
            "echo 2 >dist/a; rm dist/b; echo 2 >local/c; echo 2 >local/d",
            {
                holdsOutputs: true,
            }
        );
        const outside = path.join(project.home, "outside");
        mkdirSync(outside);
        writeFileSync(path.join(project.root, "dist/a"), "mine\n");
        writeFileSync(path.join(project.root, "dist/b"), "mine\n");
        execFileSync("rm", ["-r", path.join(project.root, "local")]);
        symlinkSync(outside, path.join(project.root, "local"));
        const left = await moveOutputs(project.root, run.layer?.folder ?? "", run.outputs).catch(
            (error: unknown) => String(error)
        );
        await run.layer?.release();
        expect(existsSync(path.join(outside, "d"))).to.equal(false);
        expect(lstatSync(path.join(project.root, "local")).isSymbolicLink()).to.equal(true);
        expect(readFileSync(path.join(project.root, "dist/a"), "utf8")).to.equal("mine\n");
        expect(readFileSync(path.join(project.root, "dist/b"), "utf8")).to.equal("mine\n");
        expect(left).to.include("local");
    });

    it("An empty folder is an output, unless its name makes something obey it", async () => {
        const project = await projectOf();
        const { run } = await runAndKeep(project, "mkdir -p one/two; mkdir .husky");
        expect(effectsOf(run)).to.deep.equal(["+.husky/"]);
        expect(lstatSync(path.join(project.root, "one/two")).isDirectory()).to.equal(true);
    });

    it("A folder with a name of git's in place of a file is a change as elsewhere", async () => {
        const project = await projectOf();
        const run = await project.run("rm a.txt; mkdir a.txt; touch a.txt/HEAD");
        expect(effectsOf(run)).to.include("+a.txt/HEAD");
    });
});
