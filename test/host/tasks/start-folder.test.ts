import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startFolder } from "../../../src/host/tasks/start-folder.js";
import { projectFolder } from "../../../src/storage/files/directories.js";
import { temporaryFolder } from "../../storage/temporary-folder.js";

describe("The folder of a task that starts from a commit", () => {
    const folder = temporaryFolder();

    it("A commit that lacks a file, as in a partial clone, is refused, and nothing is left behind", async () => {
        const [root, dataFolder] = [path.join(folder(), "project"), path.join(folder(), "data")];
        const user = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
        const git = (...args: string[]) =>
            execFileSync("git", ["-C", root, ...user, ...args], { encoding: "utf8" }).trim();
        execFileSync("git", ["init", "-q", root]);
        for (const text of ["one\n", "two\n"]) {
            writeFileSync(path.join(root, "a.txt"), text);
            git("add", "-A");
            git("commit", "-qm", text);
        }
        const blob = git("rev-parse", "HEAD~:a.txt");
        rmSync(path.join(root, ".git/objects", blob.slice(0, 2), blob.slice(2)));
        const failure = await startFolder({ root, dataFolder }, "HEAD~").catch(String);
        expect(failure).to.contain(blob);
        const commits = path.join(projectFolder(dataFolder, root), "commits");
        expect(readdirSync(commits)).to.deep.equal([]);
    });
});
