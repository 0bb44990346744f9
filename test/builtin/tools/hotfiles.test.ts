import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";
import { hotfiles } from "../../../src/builtin/tools/hotfiles.js";
import { dataOf, makeToolContext, type TestToolContext } from "../../helpers/tool-context.js";

const run = promisify(execFile);

async function git(context: TestToolContext, ...parameters: string[]): Promise<void> {
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];
    await run("git", [...identity, ...parameters], { cwd: context.root });
}

async function commit(context: TestToolContext, file: string, content: string): Promise<void> {
    await context.write(file, content);
    await git(context, "add", "-A");
    await git(context, "commit", "-qm", `Change ${file}`);
}

describe("hotfiles", () => {
    it("Files are ranked by number of changes, without lock files", async () => {
        const context = await makeToolContext();
        await git(context, "init", "-q");
        for (const version of ["1", "2", "3"]) {
            await commit(context, "busy.ts", `${version}\n`);
            await commit(context, "package-lock.json", `${version}\n`);
        }
        await commit(context, "calm.ts", "1\n");

        const data = dataOf(await hotfiles.execute({}, context));

        expect(data.method).to.equal("git");
        expect(data.truncated).to.equal(false);
        expect(data.files.map(({ path }) => path)).to.deep.equal(["busy.ts", "calm.ts"]);
        expect(data.files[0]?.reason).to.equal("3 commits, 5 lines changed");
        expect(data.files[0]?.score).to.be.above(data.files[1]?.score ?? Infinity);
    });

    it("A commit of many files does not count as a change of each", async () => {
        const many = Array.from({ length: 101 }, (_, index) => [`lib/${index}.ts`, "x\n"]);
        const files = { ...Object.fromEntries(many), "main.ts": "x\n".repeat(500) };
        const context = await makeToolContext({ files });
        await git(context, "init", "-q");
        await git(context, "add", "-A");
        await git(context, "commit", "-qm", "Import everything");
        await commit(context, ".gitignore", "dist/\n");
        await commit(context, "lib/7.ts", "y\n");

        const data = dataOf(await hotfiles.execute({ limit: 3 }, context));

        expect(data.method).to.equal("git");
        expect(data.files.map(({ path, reason }) => `${path}: ${reason}`)).to.deep.equal([
            "lib/7.ts: 1 commit, 2 lines changed",
            "main.ts: 1000 bytes of TypeScript",
            "lib/0.ts: 2 bytes of TypeScript",
        ]);
    });

    it("The result says when there are more files than requested", async () => {
        const context = await makeToolContext({ files: { "a.ts": "a", "b.ts": "bb" } });

        const data = dataOf(await hotfiles.execute({ limit: 1 }, context));

        expect(data.files.map(({ path }) => path)).to.deep.equal(["b.ts"]);
        expect(data.truncated).to.equal(true);
    });

    it("Without history the largest source files are listed", async () => {
        const context = await makeToolContext({
            files: {
                "small.ts": "x",
                "large.ts": "x".repeat(50),
                "data.json": "x".repeat(500),
                "notes.md": "x".repeat(500),
            },
        });

        expect(dataOf(await hotfiles.execute({}, context))).to.deep.equal({
            method: "fallback",
            truncated: false,
            files: [
                { path: "large.ts", score: 50, reason: "50 bytes of TypeScript" },
                { path: "small.ts", score: 1, reason: "1 bytes of TypeScript" },
            ],
        });
    });

    it("Without a commit the largest source files are listed", async () => {
        const context = await makeToolContext({ files: { "a.ts": "x" } });
        await git(context, "init", "-q");

        expect(dataOf(await hotfiles.execute({}, context)).method).to.equal("fallback");
    });
});
