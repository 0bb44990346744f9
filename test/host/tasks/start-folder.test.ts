import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { restoreStartFolder, startFolder } from "../../../src/host/tasks/start-folder.js";
import { projectFolder } from "../../../src/storage/files/directories.js";
import { temporaryFolder } from "../../storage/temporary-folder.js";

describe("The folder of a task that starts from a commit", () => {
    const folder = temporaryFolder();

    const user = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    const gitIn = (place: string, ...args: string[]) =>
        execFileSync("git", ["-C", place, ...user, ...args], { encoding: "utf8" }).trim();
    const places = () => ({
        root: path.join(folder(), "project"),
        dataFolder: path.join(folder(), "data"),
    });
    function commitTexts(root: string, texts: readonly string[]): void {
        for (const text of texts) {
            writeFileSync(path.join(root, "a.txt"), text);
            gitIn(root, "add", "-A");
            gitIn(root, "commit", "-qm", text);
        }
    }

    it("A commit that lacks a file, as in a partial clone, is refused, and nothing is left behind", async () => {
        const { root, dataFolder } = places();
        execFileSync("git", ["init", "-q", root]);
        commitTexts(root, ["one\n", "two\n"]);
        const blob = gitIn(root, "rev-parse", "HEAD~:a.txt");
        rmSync(path.join(root, ".git/objects", blob.slice(0, 2), blob.slice(2)));
        const failure = await startFolder({ root, dataFolder }, "HEAD~").catch(String);
        expect(failure).to.contain(blob);
        const commits = path.join(projectFolder(dataFolder, root), "commits");
        expect(readdirSync(commits)).to.deep.equal([]);
    });

    it("Its history ends where that of a shallow clone does", async () => {
        const { root, dataFolder } = places();
        const whole = path.join(folder(), "whole");
        execFileSync("git", ["init", "-q", whole]);
        commitTexts(whole, ["one\n", "two\n", "three\n"]);
        execFileSync("git", ["clone", "-q", "--depth=2", `file://${whole}`, root]);
        const start = await startFolder({ root, dataFolder }, "HEAD~");
        expect(gitIn(start, "log", "--format=%s", "-p", "--", "a.txt")).to.match(/^two\n/);
        expect(gitIn(start, "log", "--format=%s")).to.equal("two");
    });

    it("Its objects are named as those of the checkout", async () => {
        const { root, dataFolder } = places();
        execFileSync("git", ["init", "-q", "--object-format=sha256", root]);
        commitTexts(root, ["one\n", "two\n"]);
        const start = await startFolder({ root, dataFolder }, "HEAD~");
        expect(gitIn(start, "log", "--format=%s")).to.equal("one");
    });

    it("It is as its commit again, whatever ran for real in it", async () => {
        const { root, dataFolder } = places();
        execFileSync("git", ["init", "-q", root]);
        commitTexts(root, ["one\n", "two\n"]);
        const start = await startFolder({ root, dataFolder }, "HEAD~");
        gitIn(start, "switch", "-qc", "other");
        commitTexts(start, ["three\n"]);
        writeFileSync(path.join(start, "a.txt"), "four\n");
        writeFileSync(path.join(start, "new.txt"), "new\n");
        await restoreStartFolder(start);
        expect(gitIn(start, "status", "--porcelain", "--branch")).to.equal("## HEAD (no branch)");
        expect(gitIn(start, "log", "--format=%s")).to.equal("one");
    });
});
