import { expect } from "chai";
import { toJson } from "../../src/provider-kit/json-text.js";

describe("JSON for vendors", () => {
    it("A lone surrogate is replaced in texts and in names, and nothing else", () => {
        const value = {
            "\ud800": "a\udc00\ud83d\ude00\ud800\ud801",
            text: String.raw`\ud800 \\ud800`,
            mixed: "\\\ud800",
        };
        expect(JSON.parse(toJson(value))).to.deep.equal({
            "\ufffd": "a\ufffd\ud83d\ude00\ufffd\ufffd",
            text: String.raw`\ud800 \\ud800`,
            mixed: "\\\ufffd",
        });
    });
});
