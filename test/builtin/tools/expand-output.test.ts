import { expect } from "chai";
import { expandOutput } from "../../../src/builtin/tools/expand-output.js";
import { isExpectedError } from "../../../src/plugin/north-error.js";
import { dataOf, errorOf, makeToolContext } from "../../helpers/tool-context.js";

const content = Array.from({ length: 600 }, (_, index) => `line ${index + 1}`).join("\n");

describe("expand_output", () => {
    it("gives the lines of a file by their own numbers", async () => {
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

    it("lists the items of any other result, one a line", async () => {
        const context = await makeToolContext();
        context.keep("files", "find_files", { files: ["a.ts", "b.ts"], truncated: false });
        context.keep("run", "shell_run", { stdout: "one\ntwo\n", stderr: "", exitCode: 0 });
        const whole = async (outputId: string) =>
            dataOf(await expandOutput.execute({ outputId }, context)).content;

        expect(await whole("files")).to.equal("files:\na.ts\nb.ts\ntruncated: false");
        expect(await whole("run")).to.equal("stdout:\none\ntwo\nstderr: \nexitCode: 0");
    });

    it("cuts after 500 lines and says so", async () => {
        const context = await makeToolContext();
        context.keep("out-1", "read_file", { content });

        const data = dataOf(await expandOutput.execute({ outputId: "out-1" }, context));

        expect(data).to.include({ startLine: 1, endLine: 500, truncated: true, totalLines: 600 });
        expect(expandOutput.summary?.(data, { outputId: "out-1" })).to.equal("500 lines+");
    });

    it("gives an output without lines as it is", async () => {
        const context = await makeToolContext();
        context.keep("empty", "read_file", { content: "" });

        const data = dataOf(await expandOutput.execute({ outputId: "empty" }, context));

        expect(data).to.include({ content: "", totalLines: 0, truncated: false });
    });

    it("refuses a range behind the end, with the number of lines", async () => {
        const context = await makeToolContext();
        context.keep("out-1", "read_file", { content });

        const error: unknown = await expandOutput
            .execute({ outputId: "out-1", range: { start: 601, end: 700 } }, context)
            .catch((reason: unknown) => reason);

        expect(isExpectedError(error) && error.message).to.contain("600 lines");
    });

    it("says that outputs end with the turn when it knows of none", async () => {
        const context = await makeToolContext();

        const error = errorOf(await expandOutput.execute({ outputId: "gone" }, context));

        expect(error.code).to.equal("unknown-output");
        expect(error.hint).to.contain("turn");
    });
});
