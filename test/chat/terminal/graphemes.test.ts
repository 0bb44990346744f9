import { expect } from "chai";
import { graphemes } from "../../../src/chat/terminal/graphemes.js";

describe("graphemes", () => {
    it("Characters that are told apart without a segmenter are those that it tells apart", () => {
        const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
        const wrong: string[] = [];
        for (let code = 0x20; code < 0x10000; code += 1) {
            const character = String.fromCharCode(code);
            const text = `a${character}я${character}${character}の${character}`;
            const parts = Array.from(segmenter.segment(text), ({ segment }) => segment);
            if (graphemes(text).join("|") !== parts.join("|")) wrong.push(code.toString(16));
        }
        expect(wrong).to.deep.equal([]);
    });
});
