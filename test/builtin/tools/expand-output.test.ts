import { expect } from "chai";
import fc from "fast-check";
import { builtin } from "../../../src/builtin/index.js";
import { expandOutput } from "../../../src/builtin/tools/expand-output.js";
import { TurnOutputs } from "../../../src/core/agent/calls/outputs.js";
import { isExpectedError } from "../../../src/base/north-error.js";
import {
    dataOf,
    errorOf,
    makeToolContext,
    type TestToolContext,
} from "../../helpers/tool-context.js";

const content = Array.from({ length: 600 }, (_, index) => `line ${index + 1}`).join("\n");

describe("expand_output", () => {
    let toolContext: Promise<TestToolContext>;

    before(() => {
        toolContext = makeToolContext();
    });

    it("The lines of a file keep their own numbers", async () => {
        const context = await makeToolContext();
        context.keep("out-1", "read_file", { path: "a.txt", content, startLine: 1 });

        const data = dataOf(
            await expandOutput.execute(
                { outputId: "out-1", range: { start: 51, end: 52 } },
                context
            )
        );

        expect(data).to.deep.equal({
            outputId: "out-1",
            toolName: "read_file",
            startLine: 51,
            endLine: 52,
            content: "line 51\nline 52",
            truncated: false,
            totalLines: 600,
        });
    });

    it("The items of any other result are listed one per line", async () => {
        const context = await makeToolContext();
        context.keep("files", "find_files", { files: ["a.ts", "b.ts"], truncated: false });
        context.keep("run", "shell_run", { stdout: "one\ntwo\n", stderr: "", exitCode: 0 });
        const whole = async (outputId: string) =>
            dataOf(await expandOutput.execute({ outputId }, context)).content;

        expect(await whole("files")).to.equal("files:\na.ts\nb.ts\ntruncated: false");
        expect(await whole("run")).to.equal("stdout:\none\ntwo\nstderr: \nexitCode: 0");
    });

    it("Output after 500 lines is cut and says so", async () => {
        const context = await makeToolContext();
        context.keep("out-1", "read_file", { content });

        const data = dataOf(await expandOutput.execute({ outputId: "out-1" }, context));

        expect(data).to.include({ startLine: 1, endLine: 500, truncated: true, totalLines: 600 });
        expect(expandOutput.summary?.(data, { outputId: "out-1" })).to.equal("500 lines+");
    });

    it("Output without lines is returned unchanged", async () => {
        const context = await makeToolContext();
        context.keep("empty", "read_file", { content: "" });

        const data = dataOf(await expandOutput.execute({ outputId: "empty" }, context));

        expect(data).to.include({ content: "", totalLines: 0, truncated: false });
    });

    it("A range beyond the end is refused with the number of lines", async () => {
        const context = await makeToolContext();
        context.keep("out-1", "read_file", { content });

        const error: unknown = await expandOutput
            .execute({ outputId: "out-1", range: { start: 601, end: 700 } }, context)
            .catch((reason: unknown) => reason);

        expect(isExpectedError(error) && error.message).to.contain("600 lines");
    });

    it("An unknown output's error says that outputs end with the turn", async () => {
        const context = await makeToolContext();

        const error = errorOf(await expandOutput.execute({ outputId: "gone" }, context));

        expect(error.code).to.equal("unknown-output");
        expect(error.hint).to.contain("turn");
    });

    it("Reading range by range returns everything that a digest left out", async () => {
        const line = fc.oneof(
            { weight: 20, arbitrary: fc.string({ maxLength: 30 }) },
            { weight: 1, arbitrary: fc.constantFrom("é".repeat(80_000), "x".repeat(1_500)) }
        );
        const lines = fc.array(
            line.map((text) => text.replace(/[\r\n]/g, " ")),
            { minLength: 1, maxLength: 80 }
        );
        await fc.assert(
            fc.asyncProperty(lines, lines, async (stdout, stderr) => {
                const texts = await expanded("shell_run", {
                    stdout: stdout.join("\n") + "\n",
                    stderr: stderr.join("\n") + "\n",
                    exitCode: 0,
                });
                if (texts === undefined) return;
                expect(texts.join("")).to.equal(
                    ["stdout:", ...stdout, "stderr:", ...stderr, "exitCode: 0"].join("")
                );
            }),
            { numRuns: 60 }
        );
        const files = Array.from({ length: 300 }, (_, index) => `file-${index}.ts`);
        const found = await expanded("find_files", { files, truncated: false });
        expect(found).to.deep.equal(["files:", ...files, "truncated: false"]);
        const matches = files.map((path) => ({ path, line: 1, column: 1, preview: path }));
        const searched = await expanded("search_text", { matches, truncated: false });
        expect(searched?.slice(1, -1).map((match): unknown => JSON.parse(match))).to.deep.equal(
            matches
        );
    });

    it("The lines that shortened output leaves out have the numbers that its notes give them", async () => {
        const lines = (name: string, count: number) =>
            Array.from({ length: count }, (_, index) => `${name} ${index + 1}`);
        const text = (name: string, count: number) => `${lines(name, count).join("\n")}\n`;
        const run = { stdout: text("out", 400), stderr: text("error", 300), exitCode: 1 };
        const job = { id: "1", command: "x", state: "running", startedAt: 0 };
        const both = [...lines("out", 280).slice(60), ...lines("error", 180).slice(60)];
        expect(await leftOut("shell_run", run)).to.deep.equal(both);
        expect(
            await leftOut("job_output", { ...job, output: text("out", 400), truncated: false })
        ).to.deep.equal(lines("out", 280).slice(60));
    });

    /** What `expand_output` returns for each range that the notes name. */
    async function leftOut(name: string, data: object): Promise<string[]> {
        const { context, told } = await digested(name, data);
        const found: string[] = [];
        for (const [, start, end] of told.digestNote?.matchAll(/lines (\d+)-(\d+) left out/g) ??
            []) {
            const range = { start: Number(start), end: Number(end) };
            const input = { outputId: told.outputId ?? "", range };
            found.push(...dataOf(await expandOutput.execute(input, context)).content.split("\n"));
        }
        return found;
    }

    async function digested(name: string, data: object) {
        const outputs = new TurnOutputs();
        const context = { ...(await toolContext), cache: outputs };
        const tool = builtin.tools?.find((candidate) => candidate.name === name);
        const call = { type: "tool-call", callId: "1", name, input: {} } as const;
        const told: { outputId?: string; digestNote?: string } = JSON.parse(
            outputs.contentFor(call, { ok: true, data }, tool).content
        );
        return { context, told };
    }

    /** The lines of a result that was digested, as a model reads them; `undefined` for a short one. */
    async function expanded(name: string, data: object): Promise<string[] | undefined> {
        const { context, told } = await digested(name, data);
        if (told.outputId === undefined) return undefined;
        const lines: string[] = [];
        for (let total = 1; lines.length < total;) {
            const range = { start: lines.length + 1, end: 100_000 };
            const input = { outputId: told.outputId, range };
            const part = dataOf(await expandOutput.execute(input, context));
            lines.push(...part.content.split("\n"));
            total = part.totalLines;
        }
        return lines;
    }
});
