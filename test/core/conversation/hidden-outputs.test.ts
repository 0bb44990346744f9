import { expect } from "chai";
import { hiddenOutputs } from "../../../src/core/conversation/hidden-outputs.js";
import type { AssistantEntry } from "../../../src/plugin/index.js";

describe("Hidden outputs", () => {
    it("A long thought is listed by its first words only", () => {
        const text = "First think about the retries. ".repeat(40);
        const entry: AssistantEntry = {
            ...{ kind: "assistant", id: "1", at: 0, provider: "p", model: "m", status: "complete" },
            content: [{ type: "thinking", text, provider: "p", model: "m" }],
        };
        const [output] = hiddenOutputs([entry], { get: async () => new Uint8Array() } as never);
        expect(output?.title)
            .to.match(/^First think about .*…$/)
            .and.have.lengthOf(80);
    });
});
