import { expect } from "chai";
import { CallCollector } from "../../src/provider-kit/call-collector.js";

describe("CallCollector", () => {
    it("Long arguments are joined whose name is repeated in each of 80,000 pieces", () => {
        const collector = new CallCollector([]);
        const texts = ['{"text":"', ...Array.from({ length: 80_000 }, () => "} ".repeat(14)), '"}'];
        for (const text of texts) {
            collector.add({ function: { name: "edit_create_file", arguments: text } });
        }
        const input = { text: "} ".repeat(14 * 80_000) };
        expect(collector.finished().map((event) => "input" in event && event.input)).to.deep.equal([
            input,
        ]);
    });
});
