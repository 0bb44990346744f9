import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import {
    calls,
    reply,
    says,
    startChatServer,
    type ChatReply,
    type ChatRequest,
    type ChatServer,
} from "../helpers/vendors/chat-completions-server.js";
import { formatTokens } from "../../src/base/format.js";
import { PROGRAM, Workplace } from "../helpers/north-program.js";
import { openTerminal, type PseudoTerminal } from "../helpers/pseudo-terminal.js";

const CONSTRAINT = "Never use semicolons in this project.";
const CONTEXT = 22_000;
/** Six kilobytes: a good thousand tokens. */
const LONG = "sixty-three characters and a line feed make up one such line..\n".repeat(96);

/** The model's own summary says nothing of what the user demanded. */
const SUMMARY = {
    goal: "Reading long.txt",
    decisions: ["It is long."],
    constraints: [],
    openTasks: ["Read on."],
    importantFiles: ["long.txt"],
};

const isSummary = ({ tools = [] }: ChatRequest) => tools.length === 0;
const textOf = ({ messages }: ChatRequest) => JSON.stringify(messages);

describe("Model with a small context", () => {
    let place: Workplace;
    let server: ChatServer;
    let terminal: PseudoTerminal | undefined;
    let summaries: number;

    beforeEach(async () => {
        place = new Workplace({ "long.txt": LONG }).reusingProcess();
        summaries = 0;
        let count = 0;
        server = await startChatServer({
            script({ body }) {
                count += 1;
                return { ...answer(body, count), usage: usageOf(body) };
            },
        });
    });
    afterEach(async () => {
        await terminal?.close();
        terminal = undefined;
        await server.close();
        await place.remove();
    });

    /** Reads until the conversation has been summarized twice. */
    function answer(body: ChatRequest, count: number): ChatReply {
        if (isSummary(body)) {
            summaries += 1;
            return reply(says(JSON.stringify(SUMMARY)));
        }
        if (summaries >= 2) return reply(says(`Done ${count}.`));
        // Never the same call twice: that would be a loop.
        const range = { start: 1, end: 96 + body.messages.length };
        return reply(calls(0, `call_${count}`, "read_file", { path: "long.txt", range }));
    }

    function usageOf(body: ChatRequest): object {
        const prompt_tokens = Math.round(JSON.stringify(body).length / 3.8);
        return { prompt_tokens, completion_tokens: 20, total_tokens: prompt_tokens + 20 };
    }

    function configure(budget: object = {}): void {
        const file = path.join(place.home, ".config", "north", "config.json");
        const prices = { input: 1, output: 1 };
        const models = [{ id: "tiny", contextTokens: CONTEXT, maxOutputTokens: 1000, prices }];
        fs.mkdirSync(path.dirname(file), { recursive: true });
        const providers = { small: { baseURL: server.url, models } };
        fs.writeFileSync(file, JSON.stringify({ budget, providers }));
    }

    const north = (...args: string[]) => place.run([...args, "--model", "small/tiny"]);
    const conversations = () =>
        server.requests.map(({ body }) => body).filter((body) => !isSummary(body));

    it("Two summaries keep the user's first instructions", async () => {
        configure();
        const end = await north("-p", `${CONSTRAINT} Read long.txt again and again.`);
        expect(end.code, end.stderr).to.equal(0);
        expect(end.stdout).to.match(/^Done \d+\.\n$/);
        expect(server.problems).to.deep.equal([]);
        expect(summaries).to.equal(2);
        for (const body of conversations()) {
            expect(textOf(body)).to.contain(CONSTRAINT);
            expect(JSON.stringify(body).length / 3.8).to.be.lessThan(CONTEXT);
        }
        expect(textOf(conversations().at(-1)!)).to.contain(SUMMARY.goal);
    });

    it("A summarized conversation continues after a resume and after /summarize", async () => {
        configure();
        await north("-p", `${CONSTRAINT} Read long.txt again and again.`);
        const [id = ""] = place.conversationIds();
        const before = conversations().at(-1)!;
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM, "resume", id],
            cwd: place.repository,
            env: place.environment(),
            columns: 100,
            rows: 40,
        });
        await terminal.waitFor(/❯ *$/);
        terminal.type("And now?");
        terminal.press("enter");
        await terminal.waitFor(/Done \d+\.[^]*❯ *$/);
        terminal.type("/summarize --keep-last 2");
        terminal.press("enter");
        await terminal.waitFor(/messages summarized: [^]*❯ *$/);
        const screen = terminal.screen();
        const now = Number(/before, ([\d,]+) now/.exec(screen)?.[1]?.replaceAll(",", ""));
        expect(screen).to.contain(`● ${formatTokens(now)} (`);
        terminal.type("And then?");
        terminal.press("enter");
        await terminal.waitFor(/And then\?[^]*Done \d+\.[^]*❯ *$/);
        expect(server.problems).to.deep.equal([]);
        expect(summaries).to.equal(3);
        const last = conversations().at(-1)!;
        expect(textOf(last)).to.contain(CONSTRAINT).and.to.contain("And now?");
        expect(last.messages.length).to.be.lessThan(before.messages.length);
    });

    it("No summary exceeds the budget", async () => {
        // What the reads cost until the context is full, by the prices above, and no more.
        configure();
        await north("-p", "Read.", "--max-cost", "1");
        const first = server.requests.findIndex(({ body }) => isSummary(body));
        const spent = server.requests
            .slice(0, first)
            .reduce((sum, { body }) => sum + JSON.stringify(body).length / 3.8 + 20, 0);
        summaries = 0;
        configure({ perConversationUsd: (spent - 10) / 1e6 });
        const asked = server.requests.length;
        const end = await north("-p", "Read.");
        expect(end.code).to.equal(1);
        expect(end.stderr).to.contain("budget of");
        const sent = server.requests.slice(asked).map(({ body }) => body);
        expect(sent.length).to.equal(first);
        expect(sent.some(isSummary)).to.equal(false);
    });
});
