import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import {
    failure,
    reply,
    startMessagesServer,
    text,
    toolUse,
    type MessagesServer,
    type Reply,
    type ReplyBlock,
} from "../helpers/vendors/messages-server.js";
import { eventually, PROGRAM, Workplace, type ProgramEnd } from "../helpers/north-program.js";
import { openTerminal } from "../helpers/pseudo-terminal.js";
import { close, CLOSING, FILES, readThree } from "./main-job.js";

const hanging = (...before: readonly ReplyBlock[]): Reply => ({
    ...reply(...before),
    interruption: { afterEvents: 4, how: "stall" },
});

const STREAM = ["--output-format", "stream-json"];
const JSON_OBJECT = ["--output-format", "json"];

interface Result {
    readonly type: string;
    readonly [field: string]: unknown;
}

function linesOf(stdout: string): Result[] {
    expect(stdout).to.match(/\n$/);
    const lines = stdout.split("\n").slice(0, -1);
    return lines.map((line): Result => JSON.parse(line));
}

/** The one result, which has to be the last line. */
function resultOf({ stdout }: ProgramEnd): Result {
    const lines = linesOf(stdout);
    expect(lines.filter(({ type }) => type === "result")).to.have.lengthOf(1);
    const last = lines.at(-1);
    expect(last?.type).to.equal("result");
    return last ?? { type: "" };
}

describe("Output of print mode", () => {
    let place: Workplace;
    let server: MessagesServer | undefined;

    beforeEach(() => {
        place = new Workplace(FILES).reusingProcess();
    });
    afterEach(async () => {
        await server?.close();
        server = undefined;
        await place.remove();
    });

    async function serve(...script: Reply[]): Promise<Record<string, string>> {
        server = await startMessagesServer({ script });
        return { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url };
    }

    it("Text output is the last answer alone", async () => {
        const env = await serve(readThree, close);
        const end = await place.run(["-p", "Work"], { env });
        expect(end).to.deep.equal({ code: 0, signal: null, stdout: `${CLOSING}\n`, stderr: "" });
    });

    it("JSON output is one object", async () => {
        const env = await serve(readThree, close);
        const end = await place.run(["-p", "Work", "--mode", "ask", ...JSON_OBJECT], { env });
        expect({ code: end.code, stderr: end.stderr }).to.deep.equal({ code: 0, stderr: "" });
        const { durationMs, costUsd, ...result } = resultOf(end);
        expect(linesOf(end.stdout)).to.have.lengthOf(1);
        expect(result).to.deep.equal({
            type: "result",
            result: CLOSING,
            conversationId: place.conversationIds()[0],
            model: "claude-sonnet-5-5",
            mode: "ask",
            turns: 2,
            usage: {
                inputTokens: 20,
                cacheReadTokens: 0,
                cacheWriteTokens: 0,
                cacheWriteLongTokens: 0,
                outputTokens: 10,
                webSearches: 0,
            },
            stopReason: "end",
            denied: [],
            isError: false,
        });
        expect(durationMs).to.be.a("number").and.greaterThan(0);
        // 20 tokens at $2 and 10 at $10 a million.
        expect(costUsd).to.be.closeTo(0.00014, 1e-9);
    });

    it("stream-json prints one event per line, the result last", async () => {
        const env = await serve(readThree, close);
        const end = await place.run(["-p", "Work", ...STREAM], { env });
        expect(end.code).to.equal(0);
        expect(resultOf(end).result).to.equal(CLOSING);
        const lines = linesOf(end.stdout);
        const texts = lines.flatMap(({ type, text }) => (type === "text-delta" ? text : []));
        expect(texts.join("")).to.contain(CLOSING);
        const finished = lines.filter(({ type }) => type === "tool-call-finished");
        expect(finished.map(({ callId }) => callId)).to.deep.equal(["read_1", "read_2", "read_3"]);
    });

    it("A Markdown command at the start of the prompt is expanded, and piped text follows it", async () => {
        const env = await serve(reply(text("Reviewed.")));
        const folder = path.join(place.repository, ".claude/commands");
        fs.mkdirSync(folder, { recursive: true });
        fs.writeFileSync(path.join(folder, "inspect.md"), "Review $1 with care.");
        const end = await place.run(["-p", "/inspect dev"], { env, stdin: { text: "the diff" } });
        expect(end).to.deep.equal({ code: 0, signal: null, stdout: "Reviewed.\n", stderr: "" });
        expect(JSON.stringify(server?.requests[0]?.body)).to.contain(
            "Review dev with care.\\n\\nthe diff"
        );
    });

    it("The cost of three requests has no rounding error", async () => {
        const again = (id: string) => reply(toolUse(id, "read_file", { path: "a.txt" }));
        const env = await serve(again("one"), again("two"), close);
        const end = await place.run(["-p", "Work", ...JSON_OBJECT], { env });
        expect(resultOf(end)).to.deep.include({ turns: 3, costUsd: 0.00021 });
    });

    it("A slash command of the chat is wrong usage in print mode, and nothing is sent", async () => {
        const env = await serve();
        const listed =
            "Print mode accepts only commands from Markdown files, at the start of the prompt: `north commands` lists them.";
        expect(await place.run(["-p", "/costs now"], { env })).to.deep.include({
            code: 2,
            stderr: `/costs works only in the chat.\n  ${listed}\n`,
        });
        expect(await place.run(["-p", "/cots"], { env })).to.deep.include({
            code: 2,
            stderr: `There is no /cots. Did you mean /costs?\n  ${listed}\n`,
        });
        expect(server?.requests).to.deep.equal([]);
    });

    it("--max-turns stops the run with its results so far", async () => {
        const env = await serve(readThree);
        const end = await place.run(["-p", "Work", "--max-turns", "1", ...STREAM], { env });
        expect(end.code).to.equal(1);
        expect(resultOf(end)).to.deep.include({ stopReason: "max-turns", turns: 1, isError: true });
        server?.assertDone();
    });

    it("--max-cost stops the run", async () => {
        const env = await serve({ ...readThree, usage: { input_tokens: 500_000 } });
        const end = await place.run(["-p", "Work", "--max-cost", "0.5"], { env });
        expect(end.code).to.equal(1);
        const [stopped, next] = end.stderr.split(place.northCommand);
        expect(stopped).to.match(
            /^Stopped after \$\d\.\d\d \(--max-cost\)\.\n {2}To continue, run `$/
        );
        expect(next).to.match(/^ resume [0-9a-f]{6} /);
        server?.assertDone();
    });

    it("--timeout stops the run although the model is silent", async () => {
        server = await startMessagesServer({ script: () => hanging(text("Half of it")) });
        const env = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url };
        const hadBegun = (run: ProgramEnd): boolean => resultOf(run).result !== "";
        const end = await place.runIntoLimit(["-p", "Work", ...JSON_OBJECT], { env }, hadBegun);
        expect(end.code).to.equal(1);
        expect(resultOf(end)).to.deep.include({
            stopReason: "timeout",
            result: "Half",
            isError: true,
        });
    });

    it("A --timeout of many weeks is no limit of a moment", async () => {
        const { code, stderr } = await place.run([
            "-p",
            "hi",
            "--model",
            "offline",
            "--timeout",
            "3000000",
        ]);
        expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
    });

    it("A run that --timeout stops while the vendor limits the rate says that in its one result", async () => {
        const said = "You are over 50,000 tokens a minute.";
        server = await startMessagesServer({
            script: () => failure(429, "rate_limit_error", said, { "retry-after": "60" }),
        });
        const env = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url };
        const isWaiting = ({ stderr }: ProgramEnd) => stderr.includes("Trying again in");
        const end = await place.runIntoLimit(["-p", "Work", ...JSON_OBJECT], { env }, isWaiting);
        expect(resultOf(end).stopReason).to.equal("timeout");
        const { message } = resultOf(end).error as { message: string };
        expect(message)
            .to.match(/^Stopped after 1 request \(--timeout\)\. /)
            .and.to.contain(said);
    });

    it("A run that could not begin still prints its one result", async () => {
        for (const format of [STREAM, JSON_OBJECT]) {
            const end = await place.run(["-p", "Work", ...format]);
            expect(end.code).to.equal(1);
            const { error, isError } = resultOf(end);
            expect(isError).to.equal(true);
            expect(error).to.deep.include({ code: "no-api-key" });
        }
        const unknown = await place.run(["-p", "Work", "--model", "gpt-900", ...STREAM]);
        expect(unknown.code).to.equal(2);
        expect(resultOf(unknown).error).to.deep.include({ code: "unknown-model" });
        for (const wrong of [["--nope"], ["--max-cost", "much"], ["--mode", "fast"], ["a", "b"]]) {
            for (const format of ["stream-json", "json"]) {
                const flags = ["-p", "Work", ...wrong, "--plan", `--output-format=${format}`];
                const end = await place.run(flags);
                const { error, mode } = resultOf(end);
                expect([end.code, mode]).to.deep.equal([2, "plan"]);
                expect(error).to.deep.include({ code: "invalid-usage" });
            }
        }
    });

    it("A request that fails still prints its one result", async () => {
        const env = await serve(readThree, failure(400, "invalid_request_error", "no such thing"));
        const end = await place.run(["-p", "Work", ...STREAM], { env });
        expect(end.code).to.equal(1);
        expect(resultOf(end)).to.deep.include({ stopReason: "error", turns: 2, isError: true });
        expect(JSON.stringify(resultOf(end).error)).to.contain("no such thing");
    });

    it("A closed pipe ends the run quietly and at once", async () => {
        const env = await serve(readThree, hanging(text("Nobody reads it")));
        const line = `"$0" "$@" | head -1; echo "\${PIPESTATUS[0]}" >&2`;
        const shell = spawn(
            "bash",
            ["-c", line, process.execPath, PROGRAM, "-p", "Work", ...STREAM],
            {
                cwd: place.repository,
                env: place.environment(env),
                stdio: ["ignore", "pipe", "pipe"],
            }
        );
        const said = { stdout: "", stderr: "" };
        shell.stdout.on("data", (data: Buffer) => (said.stdout += data.toString()));
        shell.stderr.on("data", (data: Buffer) => (said.stderr += data.toString()));
        await once(shell, "close");
        expect(linesOf(said.stdout)).to.have.lengthOf(1);
        expect(said.stderr).to.equal("0\n");
    });

    if (fs.existsSync("/dev/full")) {
        for (const args of [
            ["costs"],
            ["models", "--json"],
            ["-p", "Work"],
            ["-p", "Work", ...STREAM],
        ]) {
            it(`Output of \`north ${args.join(" ")}\` that does not fit on the disk is told in one sentence`, async () => {
                const env = await serve(reply(text("Done")));
                const under = ["bash", "-c", 'exec "$0" "$@" > /dev/full'];
                const { code, stderr } = await place.run(args, { env, under });
                expect({ code, stderr }).to.deep.equal({
                    code: 1,
                    stderr: "The disk is full: the output could not be written.\n",
                });
            });
        }
    }

    it("Ctrl+C exits with 130 and the results so far", async () => {
        const env = await serve(readThree, hanging(text("Half of it")));
        const program = place.start(["-p", "Work", ...STREAM], { env });
        await eventually(() => program.stdout().includes("Half"), "half of the answer");
        program.kill("SIGINT");
        const end = await program.ended;
        expect(end.code).to.equal(130);
        expect(resultOf(end)).to.deep.include({
            stopReason: "cancelled",
            result: "Half",
            turns: 2,
            isError: true,
        });
    });

    it("SIGTERM ends the run cleanly, with its command and all children", async () => {
        const command = "trap '' INT TERM; sleep 300 & echo up > up.txt; sleep 300";
        const env = await serve(reply(toolUse("run_1", "shell_run", { command })));
        const program = place.start(["-p", "Work", "--approve-shell", ...STREAM], { env });
        await eventually(() => "up.txt" in place.files(), "the command");
        program.kill("SIGTERM");
        const end = await program.ended;
        expect(end.code).to.equal(143);
        expect(resultOf(end).stopReason).to.equal("cancelled");
        await eventually(() => place.processes().length === 0, "the end of all processes");
        const records = place.records(place.conversationIds()[0] ?? "");
        expect(records.at(-1)?.type).to.equal("conversation_ended");
    });

    it("On a terminal print mode says what it waits for, and leaves only the answer", async () => {
        let open = (): void => {};
        const gate = new Promise<void>((resolve) => (open = resolve));
        const env = await serve({ ...reply(text("Done.")), gate });
        const terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM, "-p", "Work"],
            cwd: place.repository,
            env: place.environment(env),
        });
        try {
            await terminal.waitFor("Waiting for the model");
            open();
            expect((await terminal.exit()).exitCode).to.equal(0);
            expect(terminal.transcript().trim()).to.equal("Done.");
        } finally {
            await terminal.close();
        }
    });
});
