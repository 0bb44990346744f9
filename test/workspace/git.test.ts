import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, utimesSync } from "node:fs";
import path from "node:path";
import { runGit } from "../../src/base/git.js";
import { isExpectedError } from "../../src/base/north-error.js";
import { gitBlame } from "../../src/host/operations/git-blame.js";
import { currentWorktree, openWorktree } from "../../src/host/operations/worktree.js";
import { openWorkspace } from "../../src/workspace/open-workspace.js";
import { ignoredOf, survey } from "../../src/workspace/targets/survey.js";
import { git, makeFolder, makeRepository, writeTree } from "./make-folder.js";

function commit(root: string, message: string): void {
    git(root, "add", "--all");
    git(root, "commit", "--quiet", "--message", message);
}

describe("activity", () => {
    it("Commits and lines of existing files are counted, most active first", async () => {
        const root = makeRepository({ "a.txt": "1\n2\n", "ü b.txt": "1\n", "gone.txt": "1\n" });
        commit(root, "one");
        writeTree(root, { "a.txt": "1\n3\n" });
        rmSync(path.join(root, "gone.txt"));
        commit(root, "two");
        writeTree(root, { "a.txt": "1\n", "binary.bin": Buffer.from([0, 1, 2]) });
        commit(root, "three");
        expect(await openWorkspace({ root }).activity()).to.deep.equal([
            { path: "a.txt", commits: 3, linesChanged: 5 },
            { path: "ü b.txt", commits: 1, linesChanged: 1 },
            { path: "binary.bin", commits: 1, linesChanged: 0 },
        ]);
    });

    it("Without a history there is no activity", async () => {
        expect(await openWorkspace({ root: makeFolder({ a: "" }) }).activity()).to.equal(null);
        expect(await openWorkspace({ root: makeRepository({ a: "" }) }).activity()).to.equal(null);
    });

    it("A broken repository does not use the history of the one around it", async () => {
        const outer = makeRepository({ "inner/a.txt": "1\n" });
        commit(outer, "outer");
        writeTree(outer, { "inner/.git/HEAD": "nonsense" });
        const workspace = openWorkspace({ root: path.join(outer, "inner") });
        expect(await workspace.activity()).to.equal(null);
        expect(await workspace.files()).to.deep.equal(["a.txt"]);
    });
});

describe("Hostile repository", () => {
    it("Git is not started where a named pipe in its directory would keep it waiting", async () => {
        const root = makeRepository({ "a.txt": "needle\n" });
        commit(root, "one");
        const head = path.join(root, ".git", "HEAD");
        rmSync(head);
        execFileSync("mkfifo", [head]);
        expect(await runGit(root, ["status"])).to.equal(undefined);
        expect(await openWorkspace({ root }).files()).to.deep.equal(["a.txt"]);
    });

    /** A repository whose own settings start a program wherever git can, and the program's trace. */
    function hostileRepository(): { root: string; trace: string } {
        const root = makeRepository({
            "a.txt": "needle\n",
            ".gitattributes": "*.txt diff=evil filter=evil merge=evil\n",
        });
        commit(root, "one");
        const trace = path.join(makeFolder(), "it-ran");
        const program = path.join(root, ".git", "evil.sh");
        writeTree(root, { ".git/evil.sh": `#!/bin/sh\necho "$0 $*" >> '${trace}'\n` });
        chmodSync(program, 0o755);
        for (const [name, value] of [
            ["core.fsmonitor", program],
            ["core.pager", program],
            ["core.sshCommand", program],
            ["core.editor", program],
            ["pager.log", program],
            ["diff.external", program],
            ["diff.evil.command", program],
            ["diff.evil.textconv", program],
            ["gpg.program", program],
            ["gpg.ssh.defaultKeyCommand", program],
            ["log.showSignature", "true"],
            ["commit.gpgSign", "true"],
            ["filter.evil.clean", program],
            ["filter.evil.smudge", program],
            ["merge.evil.driver", program],
            ["alias.ls-files", `!${program}`],
            ["credential.helper", `!${program}`],
            ["protocol.ext.allow", "always"],
            ["remote.origin.url", `ext::${program}`],
            ["remote.origin.promisor", "true"],
            ["extensions.partialClone", "origin"],
        ] as const) {
            git(root, "config", name, value);
        }

        for (const hook of ["post-index-change", "fsmonitor-watchman", "post-checkout"]) {
            writeTree(root, { [`.git/hooks/${hook}`]: `#!/bin/sh\necho "$0" >> '${trace}'\n` });
            chmodSync(path.join(root, ".git/hooks", hook), 0o755);
        }
        return { root, trace };
    }

    it("A hostile repository's settings run nothing", async () => {
        const { root, trace } = hostileRepository();
        const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----";
        const signed = git(root, "cat-file", "commit", "HEAD").replace(
            "\n\n",
            `\n${signature}\n\n`
        );
        const file = path.join(makeFolder({ signed }), "signed");
        const hash = git(root, "hash-object", "-t", "commit", "-w", file).trim();
        git(root, "update-ref", "HEAD", hash);
        rmSync(trace, { force: true });
        // Of another age than in git's index, so that git would read and filter it.
        utimesSync(path.join(root, "a.txt"), 1, 1);
        const workspace = openWorkspace({ root });
        expect(await workspace.files()).to.deep.equal([".gitattributes", "a.txt"]);
        expect((await workspace.search("needle", { limit: 5 })).total).to.equal(1);
        expect(await workspace.activity()).to.have.length(2);
        expect((await gitBlame(root, "a.txt")).size).to.equal(0);
        const paths = [path.join(root, "a.txt")];
        const options = { root, isDeep: false, withoutGit: true };
        expect((await survey(paths, options)).files).to.have.length(1);
        expect((await ignoredOf(root)).size).to.equal(0);
        expect(existsSync(trace)).to.equal(false);
    });

    it("An object that a hostile repository lacks is not fetched", async () => {
        const { root, trace } = hostileRepository();
        const commits = git(root, "rev-parse", "HEAD", "HEAD:a.txt").split("\n");
        for (const hash of commits.filter(Boolean)) {
            rmSync(path.join(root, ".git/objects", hash.slice(0, 2), hash.slice(2)));
        }
        const workspace = openWorkspace({ root });
        expect(await workspace.activity()).to.equal(null);
        expect((await gitBlame(root, "a.txt")).size).to.equal(0);
        expect(existsSync(trace)).to.equal(false);
    });

    it("Programs that the repository's settings name neither create, show nor merge a worktree", async () => {
        const { root, trace } = hostileRepository();
        const place = `${root}.worktrees/fix`;
        const error = await openWorktree(root, "fix").catch((reason: unknown) => reason);
        expect(isExpectedError(error) && error.code).to.equal("programs-in-git-settings");
        expect(String(error)).to.contain("filter.evil.clean").and.to.contain("gpg.program");
        expect(String(error))
            .to.contain("gpg.ssh.defaultkeycommand")
            .and.contain("merge.evil.driver");
        expect(existsSync(place)).to.equal(false);
        git(root, "-c", "core.hooksPath=/dev/null", "worktree", "add", "--no-checkout", place);
        rmSync(trace, { force: true });
        expect(String(await currentWorktree(place).catch(String))).to.contain("filter.evil.clean");
        expect(existsSync(trace)).to.equal(false);
    });

    it("The environment cannot make git or ripgrep run something", async () => {
        const root = makeRepository({ "a.txt": "needle\n", ".gitattributes": "*.txt diff=evil\n" });
        commit(root, "one");
        const folder = makeFolder();
        const trace = path.join(folder, "it-ran");
        const program = path.join(folder, "evil.sh");
        writeTree(folder, {
            "evil.sh": `#!/bin/sh\necho "$0" >> '${trace}'\n`,
            ripgreprc: `--pre=${program}\n--no-ignore\n`,
        });
        chmodSync(program, 0o755);
        const hostile: Readonly<Record<string, string>> = {
            RIPGREP_CONFIG_PATH: path.join(folder, "ripgreprc"),
            GIT_EXTERNAL_DIFF: program,
            GIT_PAGER: program,
            GIT_SSH_COMMAND: program,
            GIT_EXEC_PATH: folder,
            GIT_DIR: folder,
            GIT_CONFIG_COUNT: "1",
            GIT_CONFIG_KEY_0: "core.fsmonitor",
            GIT_CONFIG_VALUE_0: program,
            BASH_ENV: program,
        };
        const before = { ...process.env };
        Object.assign(process.env, hostile);
        try {
            const workspace = openWorkspace({ root });
            expect(await workspace.files()).to.deep.equal([".gitattributes", "a.txt"]);
            expect((await workspace.search("needle", { limit: 5 })).total).to.equal(1);
            expect(await workspace.activity()).to.have.length(2);
        } finally {
            for (const name of Object.keys(hostile)) {
                if (before[name] === undefined) delete process.env[name];
                else process.env[name] = before[name];
            }
        }
        expect(existsSync(trace)).to.equal(false);
    });

    it("A hostile repository cannot substitute another work tree", async () => {
        const elsewhere = makeFolder({ "secret.txt": "" });
        const root = makeRepository({ "a.log": "", ".gitignore": "*.log\n" });
        git(root, "add", "--force", "a.log");
        git(root, "config", "core.worktree", elsewhere);
        const files = await openWorkspace({ root }).files();
        expect(files).to.deep.equal([".gitignore", "a.log"]);
    });

    it("A hostile repository cannot substitute git or ripgrep", async () => {
        const root = makeRepository({ "a.txt": "needle\n" });
        const trace = path.join(makeFolder(), "it-ran");
        for (const name of ["git", "rg"]) {
            writeTree(root, { [name]: `#!/bin/sh\necho x >> '${trace}'\n` });
            chmodSync(path.join(root, name), 0o755);
        }
        const before = process.env.PATH;
        process.env.PATH = `.:${before}`;
        try {
            const workspace = openWorkspace({ root });
            expect((await workspace.search("needle", { limit: 5 })).total).to.equal(1);
        } finally {
            process.env.PATH = before;
        }
        expect(existsSync(trace)).to.equal(false);
    });

    it("Two hundred ignore checks at once start git twice", async () => {
        const root = makeRepository({ ".gitignore": "*.log\n", "a.txt": "" });
        commit(root, "one");
        const folder = makeFolder();
        const trace = path.join(folder, "trace");
        const real = execFileSync("/bin/sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
        const script = `#!/bin/sh\necho "$*" >> '${trace}'\nexec '${real}' "$@"\n`;
        writeTree(folder, { git: script });
        chmodSync(path.join(folder, "git"), 0o755);
        const before = process.env.PATH;
        process.env.PATH = `${folder}:${before}`;
        try {
            const workspace = openWorkspace({ root });
            const names = Array.from({ length: 200 }, (_, index) => `${index}.log`);
            const answers = await Promise.all(
                names.map((name) => workspace.isIgnored(name, "file"))
            );
            expect(answers).to.deep.equal(names.map(() => true));
        } finally {
            process.env.PATH = before;
        }
        const started = readFileSync(trace, "utf8").trim().split("\n");
        expect(started.map((line) => /(config|ls-files) -/.exec(line)?.[1]).sort()).to.deep.equal([
            "config",
            "ls-files",
        ]);
    });
});
