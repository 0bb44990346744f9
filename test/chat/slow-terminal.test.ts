import { expect } from "chai";

import { bundledProgram } from "../helpers/bundled-program.js";
import { openTerminal, type PseudoTerminal } from "../helpers/pseudo-terminal.js";

const PROGRAM = bundledProgram(new URL("../helpers/chat-program.ts", import.meta.url));

describe("Chat over a slow connection", () => {
    let terminal: PseudoTerminal;

    beforeEach(async () => {
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM, "{}"],
        });
        await terminal.waitFor("❯");
    });
    afterEach(() => terminal.close());

    const lines = (): readonly number[] =>
        Array.from(terminal.transcript().matchAll(/flood (\d+) ~+$/gm), ([, line]) => Number(line));

    it("A slow connection receives the whole answer", async () => {
        terminal.slowDown(2_000);
        terminal.type("flood 3000\r");
        await terminal.waitFor("flood 2999");
        await terminal.waitFor(/❯ *$/);
        expect(lines()).to.deep.equal(Array.from({ length: 3000 }, (_, index) => index));
    });

    it("Ctrl+C works at once, without first printing what is buffered", async () => {
        terminal.slowDown(1_000);
        terminal.type("flood 80000\r");
        await terminal.waitUntil(() => terminal.raw().includes("flood 300 "), "the flood");
        terminal.press("ctrl-c");
        const before = terminal.raw().length;
        await terminal.waitFor("[Cancelled]");
        // What came in at once was 365,000.
        expect(terminal.raw().length - before).to.be.below(150_000);
        await terminal.waitFor(/❯ *$/);
        const shown = lines();
        expect(shown).to.deep.equal(Array.from(shown, (_, index) => index));
    });
});
