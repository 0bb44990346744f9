import { expect } from "chai";
import { answer } from "../helpers/answers.js";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import {
    type ReceivedRequest,
    type Reply,
    reply,
    text,
    toolUse,
} from "../helpers/vendors/messages-server.js";
import { raceSentence } from "../../src/host/tasks/race-report.js";
import { resultsIn } from "./requests.js";

const FILES = { "a.txt": "one\n" };
const CHECK = ["--until", "grep -q good a.txt", "--contain", "auto"];
const THREE = ["race", "Make it good", "--models", "opus,sonnet,haiku", ...CHECK];
const EDITS: Readonly<Record<string, string>> = {
    opus: "good, dear",
    sonnet: "bad",
    haiku: "good",
};
const INPUT_TOKENS: Readonly<Record<string, number>> = { opus: 100_000, sonnet: 10, haiku: 20_000 };

/** One edit for each model, then an answer. One model is dear, one cheap, and one fails the check. */
function nextReply({ body }: ReceivedRequest): Reply {
    const name = Object.keys(EDITS).find((each) => body.model.includes(each)) ?? "";
    const usage = { usage: { input_tokens: INPUT_TOKENS[name] ?? 0 } };
    if (Object.keys(resultsIn(body)).length > 0) return { ...reply(text("Done.")), ...usage };
    const input = { path: "a.txt", old: "one", new: EDITS[name] ?? "" };
    return { ...reply(toolUse("call_1", "edit_replace_exact", input)), ...usage };
}

interface Row {
    readonly name: string;
    readonly state: string;
    readonly costUsd: number;
    readonly conversationId: string;
    readonly problem?: string;
}

describe("The sentence of a race", () => {
    const run = (name: string, costUsd: number | null) => ({
        ...{ name, costUsd, state: "pass" as const, durationMs: 1, linesAdded: 1, linesRemoved: 0 },
    });
    const sentence = (...costs: readonly (number | null)[]) => {
        const runs = costs.map((costUsd, index) => run(`run ${index + 1}`, costUsd));
        const [winner] = runs;
        return raceSentence({ runs, ...(winner && { winner }), costUsd: 1, isCapReached: false });
    };

    it("Only a run that cost less than all others is called the cheapest", () => {
        expect(sentence(0.1, 0.2)).to.match(/together\. run 1 is the cheapest\.$/);
        expect(sentence(0.1, 0.1, 0.2)).to.match(
            /together\. 2 cost the least; of these run 1 was the fastest\.$/
        );
        expect(sentence(null, null)).to.match(
            /\$1\.00 \+ unknown together\. Their prices are unknown; of these run 1 was the fastest\.$/
        );
    });

    it("Runs that changed nothing leave no drafts to list", () => {
        const ended = (linesAdded: number) => {
            const runs = [{ ...run("run", 1), state: "fail" as const, linesAdded }];
            return raceSentence({ runs, costUsd: 1, isCapReached: false });
        };
        const total = "0 of 1 passed · $1.00 together.";
        expect(ended(0)).to.equal(`${total} No run changed a line.`);
        expect(ended(1)).to.equal(`${total} \`north draft list\` shows what they drafted.`);
    });
});

describe("north race", () => {
    let place: ClaudeWorkplace;
    beforeEach(async () => {
        place = new ClaudeWorkplace(FILES);
        await place.serve(nextReply);
    });
    afterEach(() => place.remove());

    it("The cheapest run that passes wins, the sums are right, and nothing is left of the others", async () => {
        const { code, stdout, stderr } = await place.run([...THREE, "--force", "--json"]);
        const end = JSON.parse(stdout);
        expect(code, stderr).to.equal(0);
        const runs: readonly Row[] = end.runs;
        const states = Object.fromEntries(runs.map(({ name, state }) => [name, state]));
        expect(states).to.include({ sonnet: "fail", haiku: "pass" });
        // It is stopped if the cheap one was faster.
        expect(states.opus).to.be.oneOf(["pass", "dearer"]);
        expect(end.winner).to.include({ name: "haiku", linesAdded: 1, linesRemoved: 1 });
        expect(end.applied).to.equal(true);
        expect(runs.find(({ name }) => name === "sonnet")?.problem).to.contain(
            "grep -q good a.txt"
        );
        const total = runs.reduce((sum, { costUsd }) => sum + costUsd, 0);
        expect(end.costUsd).to.be.closeTo(total, 1e-9).and.to.be.above(0);
        const costs = JSON.parse((await place.run(["costs", "--json"])).stdout);
        expect(end.costUsd).to.be.closeTo(costs.totalUsd, 1e-9);
        expect(place.files()).to.deep.equal({ "a.txt": "good\n" });
        expect(place.conversationIds()).to.deep.equal([end.winner.conversationId]);
    });

    it("The project is untouched until the winner is accepted, in a terminal", async () => {
        const terminal = place.open([...THREE]);
        await terminal.waitFor("Apply this draft");
        expect(place.files()).to.deep.equal(FILES);
        const shown = terminal.transcript();
        expect(shown).to.match(/haiku +pass +\d+s +\$0\.\d+ +\+1 -1/);
        expect(shown).to.match(/sonnet +fail +\d+s +<\$0\.001 +\+1 -1/);
        expect(shown).to.match(/[12] of 3 passed · \$\d\.\d+ together\. haiku is the\s+cheapest\./);
        await answer(terminal, "yes");
        await terminal.exit();
        expect(place.files()).to.deep.equal({ "a.txt": "good\n" });
        expect(place.conversationIds()).to.have.lengthOf(1);
    });

    it("The chat races, counts the costs into its session and reviews the winner", async () => {
        const chat = await place.chat(["--contain", "auto"]);
        chat.type("/race Make it good --models opus,sonnet,haiku\r");
        await chat.waitFor("Usage: /race TASK");
        expect(place.server.requests).to.deep.equal([]);
        chat.type("/race Make it good --models opus,sonnet,haiku --until 'grep -q good a.txt'\r");
        await chat.waitFor("Apply this draft");
        expect(place.files()).to.deep.equal(FILES);
        expect(chat.transcript())
            .to.match(/haiku +pass +\d+s +\$0\.\d+ +\+1 -1/)
            .and.match(/of 3 passed · \$\d\.\d+ together\. haiku is the\s+cheapest\./);
        await answer(chat, "yes");
        const [, id = ""] =
            /`north\s+undo\s+(\w+)`\s+reverses/.exec(await chat.waitFor(/reverses it/)) ?? [];
        await chat.waitFor(/\$(?!0\.00)\d\.\d\d \/ \$[^\n]*\n❯ *$/);
        chat.type("/quit\r");
        await chat.exit();
        expect(place.files()).to.deep.equal({ "a.txt": "good\n" });
        expect((await place.run(["undo", id, "--force"])).code).to.equal(0);
        expect(place.files()).to.deep.equal(FILES);
    });

    it("A race in the chat decides by the command of /until, and Esc ends all its runs", async () => {
        await place.serve(() => ({
            ...reply(text("Thinking ".repeat(20))),
            ...{ interruption: { afterEvents: 2, how: "stall" } },
        }));
        const chat = await place.chat(["--contain", "auto"]);
        chat.type("/until grep -q good a.txt\r");
        await chat.waitFor("A turn now ends only when");
        chat.type("/race Make it good --models opus,haiku\r");
        await chat.waitFor(/opus +running[\s\S]*haiku +running/);
        while (place.server.requests.length < 2) await new Promise((wake) => setTimeout(wake, 50));
        chat.press("escape");
        await chat.waitFor("[Cancelled] Racing");
        expect(place.processes().filter((line) => line.includes("--print"))).to.deep.equal([]);
        chat.type("/quit\r");
        await chat.exit();
        expect(place.files()).to.deep.equal(FILES);
    });

    it("Runs of one model are distinguished, and without a terminal nothing is applied", async () => {
        const { code, stdout, stderr } = await place.run([
            ...["race", "Make it good", "--models", "haiku", "--times", "2", ...CHECK],
        ]);
        expect(code, stderr).to.equal(0);
        expect(stdout)
            .to.match(/^haiku 1 +(?:pass|dearer) /m)
            .and.match(/^haiku 2 +(?:pass|dearer) /m);
        const [, id] = /`north draft apply (\S+)` applies it/.exec(stdout) ?? [];
        expect(place.files()).to.deep.equal(FILES);
        expect((await place.run(["draft", "apply", id ?? "", "--force"])).code).to.equal(0);
        expect(place.files()).to.deep.equal({ "a.txt": "good\n" });
    });

    it("Where the check would not see the drafts, nothing is paid and North gives the reason", async () => {
        const { code, stderr } = await place.run([
            ...["race", "Go", "--models", "opus", "--until", "true", "--contain", "off"],
        ]);
        expect(code).to.equal(1);
        expect(stderr).to.contain("The check would not see the drafts: commands do not run");
        expect(stderr).to.contain("Leave out `--contain`");
        expect(place.server.requests).to.deep.equal([]);
        expect(place.conversationIds()).to.deep.equal([]);
    });

    it("An unknown model among others is wrong usage, and nothing is paid", async () => {
        const models = ["race", "Go", "--models", "haiku,hiaku", ...CHECK];
        const { code, stderr } = await place.run(models);
        expect(code).to.equal(2);
        expect(stderr).to.contain('There is no model called "hiaku"').and.contain("haiku");
        const chat = await place.chat(["--contain", "auto"]);
        chat.type("/race Go --models haiku,hiaku --until true\r");
        await chat.waitFor('There is no model called "hiaku"');
        chat.type("/quit\r");
        await chat.exit();
        expect(place.server.requests).to.deep.equal([]);
    });

    it("If no run passes, their drafts stay and the exit code is 1", async () => {
        const { code, stdout } = await place.run(["race", "Go", "--models", "sonnet", ...CHECK]);
        expect(code).to.equal(1);
        expect(stdout).to.contain("0 of 1 passed").and.contain("north draft list");
        expect((await place.run(["draft", "list"])).stdout).to.contain("1 file +1 -1");
        expect(place.files()).to.deep.equal(FILES);
    });

    it("The cost limit covers all runs together", async () => {
        const words = ["race", "Go", "--models", "opus", "--times", "2", "--max-cost", "0.3"];
        const { code, stdout } = await place.run([...words, ...CHECK, "--json"]);
        const end = JSON.parse(stdout);
        expect(end.isCapReached, stdout).to.equal(true);
        expect(end.costUsd).to.be.within(0.3, 2.5);
        expect(code).to.equal(end.winner ? 0 : 3);
    });

    it("Ctrl+C ends all runs and says what is left", async () => {
        await place.serve(() => ({
            ...reply(text("Thinking ".repeat(20))),
            ...{ interruption: { afterEvents: 2, how: "stall" } },
        }));
        const terminal = place.open([...THREE]);
        await terminal.waitFor("opus");
        while (place.server.requests.length < 3) await new Promise((wake) => setTimeout(wake, 50));
        terminal.press("ctrl-c");
        expect(await terminal.exit()).to.include({ exitCode: 130 });
        expect(terminal.transcript()).to.contain("Stopped.");
        expect((await place.run(["who"])).stdout).to.contain("No session is open");
        expect(place.files()).to.deep.equal(FILES);
    });
});
