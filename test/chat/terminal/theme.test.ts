import { expect } from "chai";

import { colourLevel, createTheme } from "../../../src/chat/terminal/theme.js";
import { WriteStream } from "node:tty";

const terminal = { isTTY: true as const, getColorDepth: WriteStream.prototype.getColorDepth };
const pipe: { isTTY: boolean } = { isTTY: false };

describe("colourLevel", () => {
    it("A terminal with colours gets colours", () => {
        expect(colourLevel(terminal, { TERM: "xterm-256color" })).to.equal(2);
        expect(colourLevel(terminal, { TERM: "xterm", COLORTERM: "truecolor" })).to.equal(3);
    });

    it("NO_COLOR, a dumb terminal and a pipe get no colours", () => {
        expect(colourLevel(terminal, { TERM: "xterm-256color", NO_COLOR: "1" })).to.equal(0);
        expect(colourLevel(terminal, { TERM: "dumb" })).to.equal(0);
        expect(colourLevel(pipe, { TERM: "xterm-256color" })).to.equal(0);
    });

    it("FORCE_COLOR overrides the detection", () => {
        expect(colourLevel(pipe, { FORCE_COLOR: "1" })).to.equal(1);
        expect(colourLevel(pipe, { FORCE_COLOR: "3" })).to.equal(3);
        expect(colourLevel(pipe, { FORCE_COLOR: "0" })).to.equal(0);
    });
});

describe("createTheme", () => {
    it("Colours tell user and assistant apart, and nothing is added without colours", () => {
        const theme = createTheme(1);
        expect(new Set([theme.user("x"), theme.assistant("x"), theme.tool("x")]).size).to.equal(3);
        expect(createTheme(0).user("x")).to.equal("x");
    });
});
