import { PassThrough } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import { withSpinner } from "../../../src/chat/terminal/spinner.js";

/** What a spinner wrote on a stream that is a terminal or not. */
async function written(isTTY: boolean, work: () => Promise<string>, delayMs?: number) {
    const stream = Object.assign(new PassThrough(), {
        isTTY,
        columns: 80,
        cursorTo: () => true,
        clearLine: () => true,
        moveCursor: () => true,
    });
    const result = await withSpinner("Waiting", work, stream, delayMs).catch(String);
    stream.end();
    return { result, text: (await stream.toArray()).join("") };
}

describe("withSpinner", () => {
    it("A spinner writes nothing where there is no terminal, and hands on the result", async () => {
        expect(await written(false, async () => "done")).to.deep.equal({
            result: "done",
            text: "",
        });
    });

    it("A spinner on a terminal says what North waits for, and ends on failure too", async () => {
        const { result, text } = await written(true, () => Promise.reject(new Error("No.")));
        expect(result).to.equal("Error: No.");
        expect(text).to.contain("Waiting");
    });

    it("A spinner with a delay is not seen if the work ends before, and is seen if it takes longer", async () => {
        const quick = await written(true, async () => "done", 60_000);
        expect(quick).to.deep.equal({ result: "done", text: "" });
        const { text } = await written(true, async () => setTimeout(300, "done"), 1);
        expect(text).to.contain("Waiting");
    });
});
