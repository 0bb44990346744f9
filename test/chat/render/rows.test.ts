import { expect } from "chai";
import { Composer, type ComposerEvents } from "../../../src/chat/composer/composer.js";
import { composerRows } from "../../../src/chat/render/composer-rows.js";
import { fitMiddle } from "../../../src/chat/render/rows.js";
import { loadWidths, textWidth } from "../../../src/chat/terminal/graphemes.js";
import { createTheme } from "../../../src/chat/terminal/theme.js";

describe("fitMiddle", () => {
    before(loadWidths);

    it("A text that is too wide keeps both ends, and shows nothing twice", () => {
        const wide = Array.from({ length: 100 }, (_, at) => String.fromCodePoint(0x4e00 + at));
        for (const text of [wide.join(""), "0123456789".repeat(20), `${wide.join("")}abc`]) {
            for (const width of [20, 21, 120]) {
                const fitted = fitMiddle(text, width);
                const [start = "", end = ""] = fitted.split("…");
                expect(textWidth(fitted)).to.be.within(width - 3, width);
                expect(text.startsWith(start) && text.endsWith(end)).to.equal(true);
                expect(start.length + end.length).to.be.below(text.length);
            }
        }
    });
});

describe("composerRows", () => {
    before(loadWidths);

    it("Descriptions of choices line up beside names of wide characters", async () => {
        const choices = ["模式", "help"].map((value) => ({ value, description: "Does it." }));
        const events = new Proxy({} as ComposerEvents, { get: () => () => {} });
        const composer = new Composer(events, [() => ({ from: 0, to: 1, choices })]);
        composer.handleKey({ type: "text", text: "/", sequence: "/" });
        await new Promise(setImmediate);
        const { rows } = composerRows(composer, createTheme(0), 60, 10);
        const columns = rows.filter((row) => row.includes("Does")).map((row) => row.split("Does"));
        expect(columns.map(([before = ""]) => textWidth(before))).to.deep.equal([8, 8]);
    });
});
