import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { eventually, Workplace } from "../helpers/north-program.js";
import { failure, reply, text } from "../helpers/vendors/messages-server.js";
import { describeContained } from "../shell/containment/contained.js";
import { git } from "../workspace/make-folder.js";
import { REQUEST_USD, TaskCrowd } from "./task-crowd.js";

describe("north run", () => {
    let crowd: TaskCrowd;

    afterEach(() => crowd.close());

    const start = (...flags: string[]) => crowd.place.start(["run", crowd.file, ...flags]);
    const run = (...flags: string[]) => start(...flags).ended;
    const requests = () => crowd.place.server.requests.length;

    async function open(size: number): Promise<void> {
        crowd = new TaskCrowd(size);
        await crowd.serve();
    }

    it("20 tasks over one checkout, killed at random moments, are each paid once", async () => {
        await open(20);
        const program = start("--jobs", "4");
        const killed = await crowd.killTasks(program.ended, 400);
        const end = await program.ended;
        expect(end.code, end.stderr + end.stdout).to.equal(0);
        expect(killed).to.be.greaterThan(0);
        crowd.expectPaidOnce(end.stdout);
        const before = requests();
        const again = await run("--jobs", "4");
        expect(again.stdout.split("\n").sort()).to.deep.equal(end.stdout.split("\n").sort());
        expect(again.stderr).to.match(/^20 tasks: 20 finished \(\$[\d.]+\), 0 to run/);
        expect(requests()).to.equal(before);
    });

    it("A run that is killed itself resumes, and ends with every result", async () => {
        await open(6);
        const first = start("--jobs", "2");
        await eventually(() => requests() >= 4, "its fourth request");
        first.kill("SIGKILL");
        await first.ended;
        // Its tasks end at their next line; until then they hold their keys.
        await eventually(() => crowd.place.processes().length === 0, "the end of its tasks");
        const end = await run("--jobs", "2");
        expect(end.code, end.stderr).to.equal(0);
        crowd.expectPaidOnce(end.stdout, 2);
    });

    it("Ctrl+C ends the tasks, and the same command resumes them", async () => {
        await open(6);
        const first = start("--jobs", "2");
        await eventually(() => requests() >= 4, "its fourth request");
        first.kill("SIGINT");
        const stopped = await first.ended;
        expect(stopped.code, stopped.stderr).to.equal(130);
        expect(stopped.stderr).to.contain("The same command resumes them.");
        expect(crowd.place.processes()).to.deep.equal([]);
        const end = await run("--jobs", "2");
        expect(end.code, end.stderr).to.equal(0);
        crowd.expectPaidOnce(end.stdout, 2);
    });

    it("Two runs of the same file share its tasks and pay each once", async () => {
        await open(6);
        const [one, other] = [start("--jobs", "2"), start("--jobs", "2")];
        for (const end of [await one.ended, await other.ended]) {
            expect(end.code, end.stderr).to.equal(0);
            crowd.expectPaidOnce(end.stdout);
        }
    });

    it("The cost limit covers all tasks and earlier starts, and exits with 3", async () => {
        await open(5);
        const limit = String(4 * REQUEST_USD);
        const first = await run("--jobs", "1", "--max-cost", limit);
        expect(first.code, first.stderr).to.equal(3);
        expect(first.stderr).to.contain("5 tasks: 5 to run, 1 at a time, at most <$0.001.");
        expect(first.stderr).to.contain("The cost limit is reached: raise --max-cost to continue.");
        expect(requests()).to.be.within(4, 5);
        const before = requests();
        expect((await run("--jobs", "1", "--max-cost", limit)).code).to.equal(3);
        expect(requests()).to.equal(before);
        const end = await run("--jobs", "1", "--max-cost", "1");
        expect(end.code, end.stderr).to.equal(0);
        crowd.expectPaidOnce(end.stdout, 1);
    });

    it("A task that fails is a result, exits with 1, and is tried again by the next start", async () => {
        await open(2);
        let isBroken = true;
        await crowd.place.serve(({ body }) => {
            const isFirst = JSON.stringify(body.messages).includes("Do task-1 now");
            return isFirst && isBroken
                ? failure(400, "invalid_request_error", "broken")
                : reply(text("Fine."));
        });
        const first = await run();
        expect(first.code, first.stderr).to.equal(1);
        expect(first.stderr)
            .to.match(/^task-1: .*broken/m)
            .and.not.match(/^task-2/m);
        const lines = first.stdout
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line));
        expect(lines.find(({ id }) => id === "task-1")).to.include({
            stopReason: "error",
            isError: true,
        });
        isBroken = false;
        const second = await run();
        expect(second.code, second.stderr).to.equal(0);
    });

    it("Another key prefix runs the tasks again", async () => {
        await open(2);
        await run();
        const before = requests();
        const end = await run("--key-prefix", "second/");
        expect(end.code).to.equal(0);
        expect(requests()).to.equal(2 * before);
    });

    for (const [line, problem] of [
        ["{", "Line 1 is not JSON."],
        ['{"id": "a"}', "Line 1 is not a task: `prompt` is missing."],
        [
            '{"id": "a", "prompt": "b", "promt": "c"}',
            "Line 1 is not a task: `promt` is not a known field",
        ],
        ['{"id":"a","prompt":"b"}\n{"id":"a","prompt":"c"}', 'Two tasks have the id "a".'],
        ["", "There are no tasks."],
    ] as const) {
        it(`A file of tasks with ${JSON.stringify(line)} is wrong usage`, async () => {
            await open(1);
            fs.writeFileSync(crowd.file, line);
            const end = await run();
            expect(end).to.include({ code: 2, stdout: "" });
            expect(end.stderr).to.contain(problem);
        });
    }

    it("A file of tasks that is missing or a folder is wrong usage, not a bug", async () => {
        await open(1);
        fs.rmSync(crowd.file);
        const missing = await run();
        fs.mkdirSync(crowd.file);
        const folder = await run();
        for (const end of [missing, folder]) {
            expect(end).to.include({ code: 2, stdout: "" });
            expect(end.stderr).to.match(
                /^The tasks cannot be read: (?:no such file|illegal operation)/
            );
        }
    });

    it("SWE-bench's instances start from their commits and give predictions", async () => {
        await open(1);
        const { place, file } = crowd;
        const git = (...words: string[]) =>
            execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e", ...words], {
                cwd: place.repository,
                encoding: "utf8",
            }).trim();
        git("add", "-A");
        git("commit", "-qm", "one");
        const commit = git("rev-parse", "HEAD");
        place.write("a.txt", "two\n");
        git("commit", "-qam", "two");
        const instances = [commit, git("rev-parse", "HEAD")].map((base_commit, index) => ({
            instance_id: `task-${index + 1}`,
            problem_statement: `Do task-${index + 1} now`,
            base_commit,
            patch: "the solution, which nobody may read",
            repo: "some/repo",
        }));
        fs.writeFileSync(file, instances.map((each) => JSON.stringify(each)).join("\n"));
        const status = () =>
            git("status", "--porcelain") + git("worktree", "list") + git("rev-parse", "HEAD");
        const before = status();
        const end = await run("--predictions", "--jobs", "1");
        expect(end.code, end.stderr).to.equal(0);
        const lines = end.stdout
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line));
        expect(lines.map(({ instance_id }) => instance_id)).to.deep.equal(["task-1", "task-2"]);
        for (const line of lines) {
            expect(Object.keys(line)).to.deep.equal([
                "instance_id",
                "model_name_or_path",
                "model_patch",
            ]);
            expect(line.model_patch).to.contain(`+made by ${line.instance_id}`);
            const patch = path.join(place.folder, "model.patch");
            fs.writeFileSync(patch, line.model_patch);
            git("apply", "--check", patch);
        }
        expect(JSON.stringify(place.server.requests.map(({ body }) => body))).not.to.contain(
            "nobody may read"
        );
        expect(status()).to.equal(before);
    });
});

describeContained("north run and git", () => {
    it("A task that starts from a commit sees its history, and nothing of its files is said to be hidden", async () => {
        const { place, base_commit } = placeWithCommits();
        const problem_statement =
            "run git log --format=%s; echo x >>a.txt; git status -s; false a.txt";
        const task = { instance_id: "task", problem_statement, base_commit };
        const end = await place.run(["run", "-", "--model", "offline"], {
            stdin: { text: JSON.stringify(task) },
            env: { NORTH_RESULTS: "text" },
        });
        const { answer } = JSON.parse(end.stdout);
        expect(answer).to.contain("first\n M a.txt\n").and.not.contain("hidden");
        await place.remove();
    });

    const options = (problem_statement: string, base_commit: string) => {
        const task = { instance_id: problem_statement, problem_statement, base_commit };
        return { stdin: { text: JSON.stringify(task) }, env: { NORTH_RESULTS: "text" } };
    };

    it("A task starts from its commit, whatever earlier tasks ran for real there", async () => {
        const { place, base_commit } = placeWithCommits();
        const answerTo = async (prompt: string) => {
            const flags = ["--model", "offline", "--approve-shell"];
            const end = await place.run(["run", "-", ...flags], options(prompt, base_commit));
            return JSON.parse(end.stdout).answer;
        };
        await answerTo("run git config some.name value; echo x >>a.txt; echo y >left.txt");
        expect(await answerTo("run git status -sb")).to.contain("## HEAD (no branch)\n```");
        await place.remove();
    });

    it("The draft of a task that started from a commit is applied to the checkout, and undone there", async () => {
        const { place, base_commit } = placeWithCommits();
        const run = ["run", "-", "--model", "offline"];
        const end = await place.run(run, options("run echo x >new.txt", base_commit));
        const id: string = JSON.parse(end.stdout).conversationId;
        const status = () => git(place.repository, "status", "--porcelain");
        const elsewhere = await place.run(["draft", "apply", id, "--force"], { cwd: place.home });
        expect(elsewhere.stderr).to.contain("checkout of the task");
        await place.run(["draft", "apply", id, "--force"]);
        expect(status()).to.equal("?? new.txt\n");
        await place.run(["undo", id, "--force"]);
        expect(status()).to.equal("");
        await place.remove();
    });
});

function placeWithCommits() {
    const place = new Workplace({ "a.txt": "one\n" });
    place.configure({ containment: "auto" });
    const commit = (message: string) => {
        git(place.repository, "add", "-A");
        git(place.repository, "commit", "-qm", message);
        return git(place.repository, "rev-parse", "HEAD").trim();
    };
    const base_commit = commit("first");
    place.write("a.txt", "two\n");
    commit("second");
    return { place, base_commit };
}
