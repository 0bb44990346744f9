import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { ClaudeWorkplace, isHeld } from "../helpers/claude-workplace.js";
import { eventually, type ProgramEnd } from "../helpers/north-program.js";
import { sampled } from "../helpers/sample.js";
import {
    type ReceivedRequest,
    type Reply,
    reply,
    text,
    toolUse,
} from "../helpers/vendors/messages-server.js";
import { resultsIn, textsIn } from "./requests.js";

const FILES = { "a.txt": "one\n" };
const STEPS = [
    ["edit_replace_exact", { path: "a.txt", old: "one", new: "two" }],
    ["read_file", { path: "a.txt" }],
] as const;
const STALLED = { interruption: { afterEvents: 2, how: "stall" } } as const;
const DONE = reply(text("Done."));
const PATCH = ["-one", "+two"];
const DRAFT = ["-p", "--mode", "draft", "Edit it", "--once"];
const JSON_DRAFT = [...DRAFT, "task", "--output-format", "json"];
/** A run makes about thirty changes to North's data; each is killed at. */
const MOMENTS = Array.from({ length: 30 }, (_, index) => index + 1);

/** Makes each call until one has succeeded, as a model does after an interruption. */
function nextReply({ body }: ReceivedRequest): Reply {
    const results = Object.values(resultsIn(body));
    // A kill between a change and its result leaves the change, so the text is no longer there.
    const done = results.filter(({ ok, error }) => ok || error?.code === "text-not-found");
    const [name, input] = STEPS[done.length] ?? [];
    return name ? reply(text("Next."), toolUse(`call_${results.length}`, name, input)) : DONE;
}

describe("--once", () => {
    let place: ClaudeWorkplace;
    let watchers: fs.FSWatcher[];

    beforeEach(async () => {
        place = new ClaudeWorkplace(FILES).reusingProcess();
        watchers = [];
        await place.serve(nextReply);
    });
    afterEach(async () => {
        for (const watcher of watchers) watcher.close();
        await place.remove();
    });

    const requests = () => place.server.requests.length;
    const facts = ({ code, stdout }: ProgramEnd) => ({ code, stdout });

    function watch(onChange: () => void): void {
        for (const name of ["conversations", "conversations/once", "objects"]) {
            const folder = path.join(place.data, name);
            fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
            watchers.push(fs.watch(folder, onChange));
        }
    }

    it("A finished run answers from its log in any format, without a request", async () => {
        const first = await place.run(JSON_DRAFT);
        expect(first.code, first.stderr).to.equal(0);
        expect(requests()).to.equal(3);
        expect(facts(await place.run(JSON_DRAFT))).to.deep.equal(facts(first));
        expect((await place.run([...DRAFT, "task"])).stdout).to.equal("Done.\n");
        const patch = path.join(place.folder, "task.patch");
        await place.run([...DRAFT, "task", "--patch", patch]);
        const { draft } = JSON.parse(first.stdout);
        expect(fs.readFileSync(patch, "utf8")).to.equal(draft.patch).and.include(PATCH.join("\n"));
        expect((await place.run([...DRAFT, "task", "--patch", "-"])).stdout).to.equal(draft.patch);
        expect(requests()).to.equal(3);
        expect(place.files()).to.deep.equal(FILES);
    });

    it("Each key is a run of its own, in each project", async () => {
        await place.run([...DRAFT, "task"]);
        await place.run([...DRAFT, "other"]);
        expect(requests()).to.equal(6);
        fs.mkdirSync(path.join(place.folder, "elsewhere"));
        await place.run([...DRAFT, "task"], { cwd: path.join(place.folder, "elsewhere") });
        expect(requests()).to.be.greaterThan(6);
    });

    it("A key does not stand for two prompts, until its conversation is deleted", async () => {
        const { conversationId } = JSON.parse((await place.run(JSON_DRAFT)).stdout);
        const other = ["-p", "Something else", "--once", "task"];
        const refused = await place.run(other);
        expect(refused.code).to.equal(2);
        expect(refused.stderr).to.contain("stands for another prompt or model");
        expect(refused.stderr).to.contain(`north conversations delete ${conversationId}`);
        await place.run(["conversations", "delete", conversationId, "--force"]);
        expect(fs.readdirSync(path.join(place.data, "conversations/once"))).to.deep.equal([]);
        expect((await place.run(JSON_DRAFT)).code).to.equal(0);
        expect(requests()).to.equal(6);
    });

    it("A run that is in progress elsewhere exits with 75 and one sentence", async () => {
        await place.serve([{ ...DONE, ...STALLED }]);
        const first = place.start(JSON_DRAFT);
        await eventually(() => requests() === 1, "its first request");
        const second = await place.run(JSON_DRAFT);
        expect(second.code).to.equal(75);
        expect(JSON.parse(second.stdout).error.message).to.match(
            /^The run "task" is in progress in another North \(process \d+\)\.$/
        );
        const text75 = await place.run([...DRAFT, "task"]);
        expect(text75).to.include({ code: 75, stdout: "" });
        first.kill("SIGKILL");
        await first.ended;
    });

    it("A run whose conversation is open in a chat exits with 75", async () => {
        await place.run([...JSON_DRAFT, "--max-turns", "1"]);
        const [id = ""] = place.conversationIds();
        await place.chat(["resume", id]);
        await isHeld(place, id);
        expect(await place.run([...DRAFT, "task"])).to.include({ code: 75, stdout: "" });
    });

    for (const limit of [
        ["--max-turns", "1"],
        ["--max-cost", "0.000001"],
    ]) {
        it(`A run that reached ${limit[0]} costs nothing more under the same limit, and resumes under a higher one`, async () => {
            const first = await place.run([...JSON_DRAFT, ...limit]);
            expect(first.code).to.equal(1);
            expect(requests()).to.equal(1);
            const again = await place.run([...JSON_DRAFT, ...limit]);
            expect(again.code).to.equal(1);
            expect(JSON.parse(again.stdout)).to.include({
                turns: 1,
                stopReason: limit[0]?.slice(2),
            });
            expect(requests()).to.equal(1);
            const raised = await place.run(JSON_DRAFT);
            expect(raised.code, raised.stderr).to.equal(0);
            expect(JSON.parse(raised.stdout).turns).to.equal(3);
            expect(requests()).to.equal(3);
        });
    }

    it("A run that a signal ended resumes where it was", async () => {
        let count = 0;
        await place.serve((request) => {
            count += 1;
            return count === 2 ? { ...nextReply(request), ...STALLED } : nextReply(request);
        });
        const first = place.start(JSON_DRAFT);
        await eventually(() => requests() === 2, "its second request");
        first.kill("SIGTERM");
        expect((await first.ended).code).to.equal(143);
        const second = await place.run(JSON_DRAFT);
        expect(second.code, second.stderr + second.stdout).to.equal(0);
        expect(JSON.parse(second.stdout).result).to.equal("Done.");
        const asked = textsIn(place.server.requests.at(-1)?.body);
        expect(asked.filter((each) => each.includes("Edit it"))).to.have.lengthOf(1);
    });

    for (const moment of sampled(MOMENTS)) {
        it(`A run killed at change ${moment} of North's data pays no stored reply twice`, async () => {
            const program = place.start(JSON_DRAFT);
            let count = 0;
            watch(() => {
                count += 1;
                if (count === moment) program.kill("SIGKILL");
            });
            const { signal } = await program.ended;
            const before = requests();
            const end = await place.run(JSON_DRAFT);
            expect(end.code, end.stderr + end.stdout).to.equal(0);
            const result = JSON.parse(end.stdout);
            expect(result).to.include({ result: "Done.", stopReason: "end" });
            expect(result.draft.patch).to.include(PATCH.join("\n"));
            if (signal === null) expect(requests()).to.equal(before);
            // The reply that the kill cut off is the only one that was asked for again.
            const cut = requests() - storedReplies(place);
            expect(cut).to.be.within(0, signal === null ? 0 : 1);
            expect(facts(await place.run(JSON_DRAFT))).to.deep.equal(facts(end));
            expect(place.files()).to.deep.equal(FILES);
        });
    }
});

/** How many complete replies the log has. */
function storedReplies(place: ClaudeWorkplace): number {
    const records = place.conversationIds().flatMap((id) => place.records(id));
    return records.filter(
        (record) => record.type === "entry_updated" && record.changes?.status === "complete"
    ).length;
}
