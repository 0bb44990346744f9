import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import type { ChangeSet } from "../../src/plugin/index.js";
import { createChangeApplier } from "../../src/workspace/apply/apply-change-set.js";
import { repositoryMarks } from "../../src/workspace/fingerprint.js";
import { openWorkspace } from "../../src/workspace/open-workspace.js";
import { makeFolder } from "./make-folder.js";

function creating(...paths: string[]): ChangeSet {
    const after = new TextEncoder().encode("text\n");
    return {
        changes: paths.map((each) => ({ path: each, before: null, beforeHash: null, after })),
    };
}

const codeOf = (work: Promise<unknown>) =>
    work.then(
        () => "done",
        (error: unknown) => (error instanceof Error && "code" in error ? error.code : error)
    );

/** Who permits whatever is asked. */
const permitSecret = () => Promise.resolve(true);

describe("Places that tools leave alone", () => {
    it("A git directory inside the work tree is neither read nor written.", async () => {
        const root = makeFolder({ "a.txt": "a\n" });
        execFileSync("git", ["init", "-q", `--separate-git-dir=${root}/.bare`, root]);
        const workspace = openWorkspace({ root, permitSecret });
        const { apply } = createChangeApplier({ root });
        const submodule = ".bare/modules/vendor/a/config";
        mkdirSync(path.join(root, path.dirname(submodule)), { recursive: true });
        writeFileSync(path.join(root, submodule), "");
        for (const file of [".bare/config", submodule]) {
            expect(await codeOf(workspace.read(file)), file).to.equal("ignored");
        }
        expect(await workspace.files()).not.to.include(".bare/config");
        for (const file of [".bare/hooks/post-checkout", ".bare/new", ".bare/a/b/c"]) {
            expect(await codeOf(apply(creating(file)))).to.equal("protected-path");
            expect(existsSync(path.join(root, file))).to.equal(false);
        }
        expect(await codeOf(apply(creating("b.txt")))).to.equal("done");
    });

    it("Edits cannot make a repository, at once or one after the other.", async () => {
        const root = makeFolder();
        const { apply } = createChangeApplier({ root });
        const whole = creating("evil/HEAD", "evil/config", "evil/objects/x", "evil/refs/x");
        expect(await codeOf(apply(whole))).to.equal("protected-path");
        expect(existsSync(path.join(root, "evil"))).to.equal(false);
        expect(await codeOf(apply(creating("evil/HEAD", "evil/objects/x")))).to.equal("done");
        expect(await codeOf(apply(creating("evil/refs/x")))).to.equal("protected-path");
        expect(await codeOf(apply(creating("evil/commondir")))).to.equal("protected-path");
        expect(await codeOf(apply(creating("docs/refs/x", "docs/objects/x")))).to.equal("done");
    });

    it("A FIFO in place of HEAD does not block reading a repository.", async () => {
        const root = makeFolder({ ".git/config": "" });
        execFileSync("mkfifo", [path.join(root, ".git", "HEAD")]);
        expect((await repositoryMarks(root)).history).to.match(/^[0-9a-f]{32}$/);
    });

    it("An ignore file of 3 GB is read only up to a sensible size.", async () => {
        const root = makeFolder({ "a.txt": "", ".gitignore": "b.txt\n" });
        truncateSync(path.join(root, ".gitignore"), 3 * 1024 ** 3);
        expect(await openWorkspace({ root }).isIgnored("b.txt", "file")).to.equal(true);
        expect(await openWorkspace({ root }).isIgnored("a.txt", "file")).to.equal(false);
    });

    it("North's own folders are neither read nor written where they lie in the root.", async () => {
        const root = makeFolder({ ".config/north/config.json": "{}", ".config/other.json": "{}" });
        const ownFolders = [path.join(root, ".config", "north"), path.join(root, "..", "data")];
        const workspace = openWorkspace({ root, ownFolders, permitSecret });
        const { apply } = createChangeApplier({ root, ownFolders });
        expect(await codeOf(workspace.read(".config/north/config.json"))).to.equal("ignored");
        expect(await codeOf(workspace.read(".config/other.json"))).to.equal("done");
        expect(await codeOf(apply(creating(".config/north/mcp.json")))).to.equal("protected-path");
        expect(readFileSync(path.join(root, ".config/north/config.json"), "utf8")).to.equal("{}");
    });
});
