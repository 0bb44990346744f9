import { expect } from "chai";
import { GrowingCalls } from "../../../../src/core/agent/reply/growing-calls.js";

const callId = "1";
const name = "edit_create_file";

/** The last event after a call's JSON arrived in pieces of this size. */
function follow(json: string, size: number) {
    const calls = new GrowingCalls();
    calls.start({ type: "tool-call-start", callId, name });
    let last;
    for (let at = 0; at < json.length; at += size) {
        const text = json.slice(at, at + size);
        for (const event of calls.grow({ type: "tool-call-delta", callId, text })) last = event;
    }
    return last;
}

describe("Calls that are still arriving", () => {
    const content = 'one\n\\n "two" C:\\new\n\tthree\n';
    const json = JSON.stringify({ path: 'src/ü "x".ts', content });

    for (const size of [1, 2, 3, 7, json.length]) {
        it(`The file and its lines are known in pieces of ${size} characters`, () => {
            expect(follow(json, size)).to.deep.include({ path: 'src/ü "x".ts', lines: 3 });
        });
    }

    it("Lines are counted without a file, too", () => {
        const long = JSON.stringify({ content: "x".repeat(5_000) + "\n".repeat(20) });
        expect(follow(long, 50)).to.deep.include({ lines: 20 }).and.not.have.property("path");
    });

    it("An announced path shows before the first line is complete", () => {
        expect(follow('{"path":"a.ts","content":"x', 5)).to.include({ path: "a.ts", lines: 0 });
    });
});
