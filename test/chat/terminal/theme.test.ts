import { expect } from "chai";

import { colourLevel, createTheme } from "../../../src/chat/terminal/theme.js";
import { WriteStream } from "node:tty";

const terminal = { isTTY: true as const, getColorDepth: WriteStream.prototype.getColorDepth };
const pipe: { isTTY: boolean } = { isTTY: false };

describe("colourLevel", () => {
    it("has colours where the terminal has them", () => {
        expect(colourLevel(terminal, { TERM: "xterm-256color" })).to.equal(2);
        expect(colourLevel(terminal, { TERM: "xterm", COLORTERM: "truecolor" })).to.equal(3);
    });

    it("has none with NO_COLOR, on a dumb terminal and in a pipe", () => {
        expect(colourLevel(terminal, { TERM: "xterm-256color", NO_COLOR: "1" })).to.equal(0);
        expect(colourLevel(terminal, { TERM: "dumb" })).to.equal(0);
        expect(colourLevel(pipe, { TERM: "xterm-256color" })).to.equal(0);
    });

    it("does what FORCE_COLOR says", () => {
        expect(colourLevel(pipe, { FORCE_COLOR: "1" })).to.equal(1);
        expect(colourLevel(pipe, { FORCE_COLOR: "3" })).to.equal(3);
        expect(colourLevel(pipe, { FORCE_COLOR: "0" })).to.equal(0);
    });
});

describe("createTheme", () => {
    it("tells who speaks by colour, and adds nothing without colours", () => {
        const theme = createTheme(1);
        expect(new Set([theme.user("x"), theme.assistant("x"), theme.tool("x")]).size).to.equal(3);
        expect(createTheme(0).user("x")).to.equal("x");
    });
});
