import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import type { FileChange } from "../../../src/plugin/index.js";
import { runsLater } from "../../../src/plugin/runs-later.js";
import { resolveRealPath } from "../../../src/base/paths.js";
import { createChangeApplier } from "../../../src/workspace/apply/apply-change-set.js";
import { removeFolder } from "../../helpers/remove-folder.js";
import { change, hashOf, temporaryFolder } from "./apply-fixture.js";

describe("Resolving a change before its review", () => {
    let root: string;
    beforeEach(() => (root = temporaryFolder()));
    afterEach(() => removeFolder(root));

    const place = (name: string) => path.join(root, name);
    const link = (name: string, target: string) => {
        fs.mkdirSync(path.dirname(place(name)), { recursive: true });
        fs.symlinkSync(target, place(name));
    };
    const folder = (name: string) => fs.mkdirSync(place(name), { recursive: true });
    const write = (name: string, text: string) => {
        folder(path.dirname(name));
        fs.writeFileSync(place(name), text);
    };
    const git = (...words: string[]) => execFileSync("git", words, { cwd: root });

    async function resolved(...changes: FileChange[]) {
        const { changes: found } = await createChangeApplier({ root }).resolve({ changes });
        return found.map(({ realPath, runsAs }) => [realPath, runsAs]);
    }
    const created = (name: string) => change(name, null, "new\n");
    const newLink = (name: string, target: string): FileChange => ({
        ...change(name, null, target),
        type: "link",
    });

    it("A change through a link to a folder or a file has the name and the real path", async () => {
        folder(".vscode");
        link("editor", ".vscode");
        link("ci", ".github/workflows");
        link("notes.txt", ".envrc");
        link("src/deep", "../editor");
        const names = ["editor/tasks.json", "ci/evil.yml", "notes.txt", "src/deep/tasks.json"];
        const reals = [".vscode/tasks.json", ".github/workflows/evil.yml", ".envrc"];
        for (const [index, name] of names.entries()) {
            const real = reals[index] ?? reals[0];
            expect(await resolved(created(name)), name).to.deep.equal([[real, real]]);
        }
    });

    it("A change of an ordinary file has its own name twice and runs nothing", async () => {
        link("other", "src");
        expect(await resolved(created("src/a.ts"))).to.deep.equal([["src/a.ts", undefined]]);
        expect(await resolved(created("other/a.ts"))).to.deep.equal([["src/a.ts", undefined]]);
    });

    it("A file that a link names as one that runs later has that name too", async () => {
        folder("cfg/sub");
        for (const name of [".vscode", ".husky", ".githooks", ".idea", ".github"]) {
            link(name, "cfg");
            expect(await resolved(created("cfg/x")), name).to.deep.equal([["cfg/x", `${name}/x`]]);
            fs.unlinkSync(place(name));
        }
        link(".zed", "all");
        link("all", "cfg");
        expect(await resolved(created("cfg/x"))).to.deep.equal([["cfg/x", ".zed/x"]]);
        link(".zed2/tasks", "../scripts");
        expect(await resolved(created("scripts/x"))).to.deep.equal([
            ["scripts/x", ".zed2/tasks/x"],
        ]);
        expect(await resolved(created("CFG/x"))).to.deep.equal([["CFG/x", ".zed/x"]]);
        link(".husky/pre-commit", "../hooks.sh");
        expect(await resolved(created("hooks.sh"))).to.deep.equal([
            ["hooks.sh", ".husky/pre-commit"],
        ]);
        link("docs/AGENTS.md", "../agents.txt");
        expect(await resolved(created("agents.txt"))).to.deep.equal([
            ["agents.txt", "docs/AGENTS.md"],
        ]);
    });

    it("A link that the same changes would add names the files below it too", async () => {
        const found = await resolved(created("cfg/tasks.json"), newLink(".vscode", "cfg"));
        expect(found).to.deep.equal([
            ["cfg/tasks.json", ".vscode/tasks.json"],
            [".vscode", ".vscode"],
        ]);
    });

    it("Links of a package manager to a workspace's own packages do not count", async () => {
        write("packages/tool/cli.js", "");
        link("node_modules/tool", "../packages/tool");
        link("node_modules/.bin/tool", "../tool/cli.js");
        expect(await resolved(created("packages/tool/new.js"))).to.deep.equal([
            ["packages/tool/new.js", undefined],
        ]);
    });

    it("Circular links and links to the root end, and chains too long to follow count as running later", async () => {
        link("self", ".");
        link("a/up", "..");
        link("loop1", "loop2");
        link("loop2", "loop1");
        expect(await resolved(created("src/a.ts"))).to.deep.equal([["src/a.ts", undefined]]);
        for (let index = 0; index < 12; index += 1) link(`l${index}`, ".");
        expect(await resolved(created("src/a.ts"))).to.deep.equal([["src/a.ts", "src/a.ts"]]);
    });

    it("What a tool claims of its change does not count", async () => {
        const claimed = { ...created("editor/x"), realPath: "src/x", runsAs: "src/x" };
        link("editor", ".vscode");
        expect(await resolved(claimed)).to.deep.equal([[".vscode/x", ".vscode/x"]]);
        const harmless = { ...created("src/x"), runsAs: "src/x" };
        expect(await resolved(harmless)).to.deep.equal([["src/x", undefined]]);
    });

    it("Files that git's settings or hooks name run later", async () => {
        git("init", "-q");
        write("tools/format.sh", "");
        write("tools/hook.sh", "");
        git("config", "core.hooksPath", "tools/checks");
        git("config", "filter.x.clean", "sh tools/format.sh %f");
        git("config", "alias.deploy", "!./deploy && true");
        git("config", "core.fsmonitor", "watch/monitor");
        git("config", "include.path", "../shared-settings");
        fs.symlinkSync("../../tools/hook.sh", place(".git/hooks/pre-push"));
        fs.renameSync(place(".git/config"), place("settings"));
        fs.symlinkSync("../settings", place(".git/config"));
        for (const name of [
            ...["tools/checks/anything", "tools/format.sh", "deploy", "watch/monitor"],
            ...["shared-settings", "tools/hook.sh", "settings", "TOOLS/CHECKS/x"],
        ]) {
            const before = textAt(place(name));
            const edit = change(name, before, "new\n");
            expect(await resolved(edit), name).to.deep.equal([[name, name]]);
        }
        expect(await resolved(created("tools/other.sh"))).to.deep.equal([
            ["tools/other.sh", undefined],
        ]);
        git("config", "alias.other", "!sh tools/other.sh");
        expect(await resolved(created("tools/other.sh"))).to.deep.equal([
            ["tools/other.sh", "tools/other.sh"],
        ]);
    });

    it("A git directory that a file names is not written, whatever it is called", async () => {
        git("init", "-q", "--separate-git-dir", place("meta"));
        link("docs", "meta");
        for (const name of ["meta/config", "docs/description", "meta/new"]) {
            const error = await resolved(created(name)).catch((caught: unknown) => caught);
            expect(error, name).to.include({ code: "protected-path" });
        }
    });

    it("Nothing is written if a link on the way leads elsewhere since the review", async () => {
        folder("docs");
        folder(".vscode");
        const applier = createChangeApplier({ root });
        const reviewed = await applier.resolve({ changes: [created("docs/tasks.json")] });
        fs.rmdirSync(place("docs"));
        link("docs", ".vscode");
        expect(await applier.apply(reviewed)).to.deep.equal({
            kind: "stale",
            paths: ["docs/tasks.json"],
        });
        expect(fs.readdirSync(place(".vscode"))).to.deep.equal([]);
    });

    it("In any layout of links, every changed file that runs later was reported as one", async () => {
        const names = fc.constantFrom(
            ...["a", "b", "b/c", ".vscode", ".vscode/d", ".husky", "a/.idea", "AGENTS.md"],
            ...["e", "e/.envrc", "a/e"]
        );
        const targets = fc.constantFrom(
            ...["a", "b", "b/c", ".vscode", ".husky", "e", "new", "..", ".", "../a", "../b"],
            ...["../.vscode/d", "../new/x", "b/../a"]
        );
        const layout = fc.array(
            fc.record({ name: names, target: fc.option(targets, { nil: undefined }) }),
            { minLength: 1, maxLength: 9 }
        );
        const edited = fc
            .tuple(names, fc.constantFrom("", "/x", "/tasks.json", "/c/y", "/d/z"))
            .map((parts) => parts.join(""));
        let [applied, asked] = [0, 0];
        await fc.assert(
            fc.asyncProperty(layout, edited, async (entries, file) => {
                removeFolder(root);
                folder("");
                for (const { name, target } of entries) tryToMake(name, target);
                const applier = createChangeApplier({ root });
                const text = textAt(place(file));
                const changes = [change(file, text, `${text ?? ""}new\n`)];
                const before = namesThatRunLater(root);
                const reviewed = await applier.resolve({ changes }).catch(() => undefined);
                if (reviewed === undefined) return;
                const outcome = await applier.apply(reviewed).catch(() => undefined);
                if (outcome?.kind !== "applied") return;
                applied += 1;
                const changed = [...namesThatRunLater(root)].filter(
                    ([name, hash]) => before.get(name) !== hash
                );
                if (changed.length === 0) return;
                asked += 1;
                expect(reviewed.changes[0]?.runsAs, changed.join(" ")).to.be.a("string");
            }),
            { numRuns: 150 }
        );
        // The layouts are worth something.
        expect(applied).to.be.above(30);
        expect(asked).to.be.above(8);
    });

    /** Makes a folder, or a link; where that is not possible, nothing. */
    function tryToMake(name: string, target: string | undefined): void {
        try {
            if (target === undefined) folder(name);
            else link(name, target);
        } catch {
            // The name is taken, or a link on the way leads nowhere.
        }
    }

    function textAt(absolute: string): string | null {
        try {
            return fs.readFileSync(absolute, "utf8");
        } catch {
            return null;
        }
    }

    /** Every file by every name that runs later, found by following links as a program would. */
    function namesThatRunLater(at: string): Map<string, string> {
        const found = new Map<string, string>();
        const visit = (name: string, depth: number): void => {
            const absolute = path.join(at, name);
            const real = resolveRealPath(absolute);
            // A circle, a link that leads nowhere, or out of the project.
            if (real === undefined || (real !== at && !real.startsWith(`${at}/`))) return;
            const stats = fs.statSync(real);
            if (stats.isFile() && runsLater(name)) found.set(name, hashOf(fs.readFileSync(real)));
            if (!stats.isDirectory() || depth === 0) return;
            for (const each of fs.readdirSync(real)) visit(path.join(name, each), depth - 1);
        };
        visit("", 5);
        return found;
    }
});
