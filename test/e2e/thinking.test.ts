import { expect } from "chai";
import { openTerminal, type PseudoTerminal } from "../helpers/pseudo-terminal.js";
import * as anthropic from "../helpers/vendors/messages-server.js";
import { PROGRAM, Workplace } from "../helpers/north-program.js";
import * as openai from "../helpers/vendors/responses-server.js";

const read = (id: string) => anthropic.toolUse(id, "read_file", { path: "a.txt" });
const thought = (turn: number) => anthropic.thinking(`Idea ${turn}`, `signature-${turn}`);

describe("Thinking", () => {
    let place: Workplace;
    let server: anthropic.MessagesServer | undefined;
    let other: openai.ResponsesServer | undefined;
    let terminal: PseudoTerminal | undefined;

    beforeEach(() => {
        place = new Workplace({ "a.txt": "one\n" }).reusingProcess();
    });
    afterEach(async () => {
        await terminal?.close();
        await server?.close();
        await other?.close();
        server = other = terminal = undefined;
        await place.remove();
    });

    const env = () => ({
        ...(server && { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url }),
        ...(other && { OPENAI_API_KEY: "test-key", OPENAI_BASE_URL: other.url }),
    });
    const north = (...args: string[]) => place.run(args, { env: env() });
    async function chat(): Promise<PseudoTerminal> {
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM],
            cwd: place.repository,
            env: place.environment({ ...env(), NO_COLOR: undefined }),
        });
        await terminal.waitFor("❯");
        return terminal;
    }
    const asked = () => server?.requests.map(({ body }) => body.thinking ?? null);

    /** A server that answers each question with a call and then a text, each after some thought. */
    async function startThinking(): Promise<anthropic.MessagesServer> {
        let turn = 0;
        server = await anthropic.startMessagesServer({
            script: ({ body }) => {
                turn += 1;
                const isAnswer = body.messages.at(-1)?.content.at(0)?.type === "tool_result";
                const thinks =
                    body.thinking?.type === "adaptive" || body.thinking?.type === "enabled";
                const said = isAnswer ? anthropic.text(`Answer ${turn}`) : read(`call_${turn}`);
                return anthropic.reply(...(thinks ? [thought(turn)] : []), said);
            },
        });
        return server;
    }

    it("Thinking is requested by the model's name and sent back as it came", async () => {
        const { requests, problems } = await startThinking();
        const end = await north("-p", "Look", "--model", "sonnet-4-5-thinking");
        expect(end.code, end.stderr).to.equal(0);
        expect(problems).to.deep.equal([]);
        const budget = { type: "enabled", budget_tokens: 10_000 };
        expect(asked()).to.deep.equal([budget, budget]);
        expect(requests[1]?.body.messages.at(-2)?.content[0]).to.deep.equal({
            type: "thinking",
            thinking: "Idea 1",
            signature: "signature-1",
        });
    });

    it("Thinking never appears in print mode's text, and is an event in stream-json", async () => {
        await startThinking();
        const end = await north("-p", "Look", "--thinking", "on");
        expect([end.stdout, end.stderr]).to.deep.equal(["Answer 2\n", ""]);
        const json = await north("-p", "Look", "--thinking", "on", "--output-format", "json");
        expect(json.stdout).not.to.contain("Idea");
        const stream = await north(
            "-p",
            "Hi",
            "--thinking",
            "on",
            "--output-format",
            "stream-json"
        );
        const events = stream.stdout
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line));
        const types = events.map(({ type }) => type);
        const thoughts = events.filter(({ type }) => type === "thinking-delta");
        expect(thoughts.map(({ text }) => text).join("")).to.equal("Idea 5Idea 6");
        expect(types.indexOf("thinking-finished")).to.be.above(types.indexOf("thinking-delta"));
        expect(events.at(-1)).to.include({ type: "result", result: "Answer 6" });
    });

    it("The chosen thinking survives a resume", async () => {
        const { problems } = await startThinking();
        expect((await north("-p", "Look", "--thinking", "high")).code).to.equal(0);
        const id = place.conversationIds()[0] ?? "";
        expect(place.records(id)).to.deep.include.members([
            { ...place.records(id)[1], type: "thinking_changed", on: true, effort: "high" },
        ]);
        await north("resume", id, "And?", "-p");
        expect(server?.requests.at(-1)?.body.output_config).to.deep.equal({ effort: "high" });
        await north("resume", id, "Quickly", "-p", "--thinking", "off");
        expect(server?.requests.at(-1)?.body).to.not.have.property("output_config");
        await north("resume", id, "And now?", "-p");
        expect(asked()?.slice(-1)).to.deep.equal([{ type: "between_tools" }]);
        expect(problems).to.deep.equal([]);
    });

    it("Thinking follows each switch of model and vendor, and every request is accepted", async () => {
        const claude = await startThinking();
        other = await openai.startResponsesServer({
            script: ({ body }) =>
                body.input.at(-1)?.type === "function_call_output"
                    ? openai.reply(openai.text(`Answer ${body.input.length} of another.`))
                    : openai.reply(
                          openai.reasoning(`rs_${body.input.length}`, "secret", "GPT's idea"),
                          openai.functionCall(`fc_${body.input.length}`, "read_file", {
                              path: "a.txt",
                          })
                      ),
        });
        const screen = await chat();
        for (const [turn, choices] of [
            "/model haiku-4-5-thinking",
            "/thinking off",
            "/thinking on",
            "/model sonnet /thinking low",
            "/model gpt-6.2-sol /thinking max",
            "/model haiku-4-5-thinking",
            "/model opus-4-5",
            "/model gpt-5.1 /thinking off",
            "/model opus-thinking",
            "/model gpt-5.1-thinking",
        ].entries()) {
            screen.type(`Question ${turn}? ${choices}\r`);
            await screen.waitFor(new RegExp(`❯ Question ${turn}\\?[^❯]*Answer[^❯]*❯ *$`));
        }
        expect(claude.problems).to.deep.equal([]);
        expect(other.problems).to.deep.equal([]);
        const efforts = other.requests.map(({ body }) => body.reasoning?.effort);
        expect(efforts).to.deep.equal(["max", "max", "none", "none", "medium", "medium"]);
    });

    it("A thinking level is refused for a model without levels", async () => {
        await startThinking();
        const end = await north("-p", "Look", "--model", "haiku-4-5", "--thinking", "high");
        expect(end.code).to.equal(2);
        expect(end.stderr).to.contain('no thinking level "high"').and.to.contain("on, off");
        expect(server?.requests).to.have.lengthOf(0);
    });

    it("Thinking pauses after calls made without it, as after a cancel", async () => {
        server = await anthropic.startMessagesServer({
            script: ({ body }) =>
                body.messages.length === 1
                    ? anthropic.reply(read("call_1"))
                    : anthropic.reply(anthropic.text("Fine.")),
        });
        await north("-p", "Look", "--model", "haiku-4-5", "--max-turns", "1");
        const id = place.conversationIds()[0] ?? "";
        const end = await north("resume", id, "Go on", "-p", "--thinking", "on");
        expect(end.code, end.stderr).to.equal(0);
        await north("resume", id, "Again", "-p");
        expect(asked()).to.deep.equal([null, null, { type: "enabled", budget_tokens: 5_000 }]);
        expect(server.problems).to.deep.equal([]);
    });

    it("Thinking is dim while it streams and one line afterwards, at 80 by 24", async () => {
        const long = Array.from({ length: 60 }, (_, line) => `Step ${line} of a longer idea.`);
        const reply = anthropic.reply(anthropic.thinking(long.join("\n"), "s"));
        const interruption = { afterEvents: 24, how: "stall" } as const;
        server = await anthropic.startMessagesServer({ script: [{ ...reply, interruption }] });
        terminal = await chat();
        terminal.type("/thinking on\r");
        await terminal.waitFor("Thinking: on");
        terminal.type("Look\r");
        const shown = await terminal.waitFor(/Thinking.*\n(?: {4}.*\n){5}/);
        expect(shown.split("\n").filter((line) => line.startsWith("    "))).to.have.lengthOf(5);
        const row = terminal.styledTranscript().find((cells) =>
            cells
                .map(({ text }) => text)
                .join("")
                .startsWith("    Step")
        );
        expect(row?.find(({ text }) => text === "S")?.style).to.match(/;2$/);
        terminal.press("escape");
        await terminal.waitFor("[Cancelled]");
        expect(terminal.transcript())
            .to.match(/\n✻ Thought.* \/expand thinking shows it\n\[Cancelled\]/)
            .and.not.contain("Step");
        terminal.type("/expand thinking\r");
        await terminal.waitFor("    Step 59 of a longer idea.");
    });
});
