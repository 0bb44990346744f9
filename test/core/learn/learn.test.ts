import { expect } from "chai";
import fc from "fast-check";
import type {
    JournalRecord,
    ModelEvent,
    NestedRunOptions,
    PlainTool,
    Tool,
} from "../../../src/plugin/index.js";
import { shellRun } from "../../../src/builtin/tools/shell-run.js";
import type { ContainedRuns } from "../../../src/core/approval/contained-runs.js";
import { NorthError } from "../../../src/base/north-error.js";
import { NestedRuns } from "../../../src/core/agent/nested/run-nested.js";
import type { ConversationLog } from "../../../src/core/conversation/conversation-log.js";
import { learn, type LearnEvent } from "../../../src/core/learn/learn.js";
import { profileText, sectionBody, sectionsOf } from "../../../src/core/learn/profile.js";
import { LEARN_TOPICS } from "../../../src/core/learn/topics.js";
import { calls, says, ScriptedModel, type ScriptedReply } from "../../helpers/scripted-model.js";
import { type HarnessOptions, nestedLogs, turnHarness } from "../../helpers/turn.js";

const look: PlainTool<{ readonly index?: number }> = {
    name: "look",
    description: "Looks.",
    inputSchema: {
        type: "object",
        properties: { index: { type: "number" } },
        additionalProperties: false,
    },
    readOnly: true,
    approval: "none",
    intent: () => "Looking",
    summary: () => "seen",
    execute: async () => ({ ok: true, data: { secret: "sk-live" } }),
};
const ask: Tool = {
    ...look,
    name: "fetch",
    approval: "ask",
    question: () => ({ sentence: "Fetch", key: "host" }),
};
const change: Tool = { ...look, name: "change", readOnly: false };

function place(
    model: ScriptedModel,
    {
        signal = new AbortController().signal,
        contained,
    }: Partial<Pick<HarnessOptions, "signal" | "contained">> = {}
) {
    const offered = [look, ask, change, shellRun];
    const { turn, costs } = turnHarness(model, offered, { signal, contained });
    const redact = (record: JournalRecord): JournalRecord =>
        JSON.parse(JSON.stringify(record).replaceAll("sk-live", "***"));
    const logs: ConversationLog[] = [];
    const runs = new NestedRuns(() => turn, {
        open: nestedLogs(logs, redact),
        ledger: turn.model.ledger,
    });
    return {
        costs,
        logs,
        place: {
            run: (options: NestedRunOptions) => runs.run(options, { by: "learn" }, () => {}),
            tools: turn.request.tools.values(),
            context: ["The project card.", "The rules."],
            signal,
        },
    };
}

async function all(events: AsyncIterable<LearnEvent>): Promise<LearnEvent[]> {
    const seen: LearnEvent[] = [];
    for await (const event of events) seen.push(event);
    return seen;
}

function finished(events: readonly LearnEvent[]) {
    return events.flatMap((event) => (event.type === "topic-finished" ? [event] : []));
}

const TEN = LEARN_TOPICS.map(({ title }): ScriptedReply => says(`About ${title}`));

describe("Learning a project", () => {
    it("Learning has the command tool only where commands run contained", async () => {
        const offered = async (contained?: ContainedRuns) => {
            const model = new ScriptedModel([...TEN]);
            await all(learn(place(model, contained && { contained }).place));
            return model.requests[0]?.tools.map(({ name }) => name);
        };
        const runs = (mode: "auto" | "off") =>
            ({ mode, unavailable: async () => undefined }) as ContainedRuns;
        expect(await offered(runs("auto"))).to.deep.equal(["look", "shell_run"]);
        expect(await offered(runs("off"))).to.deep.equal(["look"]);
        expect(await offered()).to.deep.equal(["look"]);
    });

    it("Ten topics share one prompt prefix, and none sees another's answer", async () => {
        const model = new ScriptedModel([calls(["1", "look", {}]), ...TEN]);
        const { place: where, costs, logs } = place(model);
        const events = await all(learn(where));
        model.assertDone();
        const [first] = model.requests;
        for (const { system, tools } of model.requests) {
            expect(system).to.equal(first?.system);
            expect(system).to.contain("The project card.").and.to.contain("The rules.");
            expect(tools.map(({ name }) => name)).to.deep.equal(["look"]);
        }
        expect(model.requests.map(({ messages }) => messages.length)).to.deep.equal([
            1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        ]);
        expect(JSON.stringify(model.requests)).to.contain("***").and.not.to.contain("sk-live");
        expect(finished(events).map(({ title, body }) => [title, body])).to.deep.equal(
            LEARN_TOPICS.map(({ title }) => [title, `About ${title}`])
        );
        const started = events.filter((event) => event.type === "topic-started");
        expect(started.map(({ percent }) => percent)).to.deep.equal([
            0, 10, 20, 30, 40, 50, 60, 70, 80, 90,
        ]);
        expect(costs).to.have.length(11);
        expect(logs.map(({ state }) => state.nested)).to.deep.equal(
            LEARN_TOPICS.map(() => ({ by: "learn" }))
        );
    });

    it("Learning continues after a topic that fails, stays empty or looks too long", async () => {
        const looks = Array.from({ length: 6 }, (_, index) =>
            calls([`${index}`, "look", { index }])
        );
        const model = new ScriptedModel([
            [new NorthError("invalid-request", "Not like this.")],
            says(" "),
            says(" "),
            ...looks,
            ...TEN.slice(3),
        ]);
        const events = await all(learn(place(model).place));
        model.assertDone();
        expect(finished(events).map(({ reason }) => reason)).to.deep.equal([
            "Not like this.",
            "The model's reply was empty twice.",
            "No answer after 5 rounds of tools.",
            ...Array.from({ length: 7 }, () => undefined),
        ]);
    });

    it("Learning stops when the remaining topics would fail in the same way", async () => {
        const model = new ScriptedModel([
            ...TEN.slice(0, 2),
            [new NorthError("authentication", "The key is refused.")],
        ]);
        const events = await all(learn(place(model).place));
        expect(finished(events)).to.have.length(3);
    });

    it("A cancelled run keeps what it learned", async () => {
        const controller = new AbortController();
        const model = new ScriptedModel([
            ...TEN.slice(0, 4),
            async function* (): AsyncGenerator<ModelEvent> {
                yield { type: "text", text: "Half of" };
                controller.abort();
                await new Promise(() => {});
            },
        ]);
        const events = await all(learn(place(model, { signal: controller.signal }).place));
        const bodies = finished(events).map(({ body }) => body !== undefined);
        expect(bodies).to.deep.equal([true, true, true, true, false]);
        expect(finished(events).at(-1)?.reason).to.equal("Cancelled.");
    });
});

describe("Profiles", () => {
    it("A stored profile reads back as its sections in topic order", () => {
        const line = fc.constantFrom(
            "text",
            "- item",
            "## Other",
            "# Title",
            "```",
            "~~~~",
            "",
            "### x"
        );
        const answer = fc.array(line, { minLength: 1, maxLength: 12 }).map((all) => all.join("\n"));
        const titles = [...LEARN_TOPICS.map(({ title }) => title), "By hand"];
        fc.assert(
            fc.property(fc.uniqueArray(fc.constantFrom(...titles)), answer, (chosen, text) => {
                const body = sectionBody(text, "Title");
                if (body === "") return;
                const sections = new Map(chosen.map((title) => [title, body]));
                const read = sectionsOf(profileText(sections));
                expect(Object.fromEntries(read)).to.deep.equal(Object.fromEntries(sections));
                const order = titles.filter((title) => chosen.includes(title));
                expect([...read.keys()]).to.deep.equal(order);
            })
        );
    });

    it("A profile never repeats a heading", () => {
        expect(sectionBody("## Architecture Map\n\n# Parts\n- a", "Architecture Map")).to.equal(
            "### Parts\n- a"
        );
    });
});
