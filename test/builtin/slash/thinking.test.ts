import { expect } from "chai";
import { thinking } from "../../../src/builtin/slash/thinking.js";
import type { ModelInfo } from "../../../src/plugin/index.js";
import { modelInfo, openSlash } from "../../helpers/slash-session.js";

describe("/thinking", () => {
    const thinks = (changes: Partial<ModelInfo> = {}) =>
        modelInfo("deep-1", "deep", { thinking: "adaptive", efforts: ["low", "high"], ...changes });

    it("/thinking shows the state, turns thinking on and off, and takes an effort", async () => {
        const { context, printed } = openSlash({ model: thinks() });
        for (const wish of ["", "on", "HIGH", "off"]) await thinking.run(wish, context);
        expect(printed).to.deep.equal([
            "Thinking: off",
            "Thinking: on",
            "Thinking: on, high effort",
            "Thinking: off",
        ]);
    });

    it("/thinking refuses what the model does not support and lists what it does", async () => {
        const refusal = async (wish: string, changes: Partial<ModelInfo>) => {
            const { context } = openSlash({ model: thinks(changes) });
            return thinking.run(wish, context).then(
                () => "",
                (error: Error) => JSON.stringify({ ...error, message: error.message })
            );
        };
        expect(await refusal("on", { thinking: undefined })).to.contain("no thinking setting");
        expect(await refusal("high", { efforts: undefined })).to.contain(
            'no thinking level \\"high\\"'
        );
        expect(await refusal("medium", {})).to.contain("on, off, low, high");
        expect(await refusal("very", {})).to.contain('no thinking level \\"very\\"');
    });

    it("/thinking never says off for a model that cannot stop thinking", async () => {
        const { context, text } = openSlash({ model: thinks({ alwaysThinks: true }) });
        await thinking.run("off", context);
        expect(text()).to.contain("decides").and.not.contain("off");
    });

    it("/thinking completes what the model supports", async () => {
        const { context } = openSlash({ model: thinks() });
        const completions = await thinking.complete?.("", context);
        expect(completions?.map(({ value }) => value)).to.deep.equal(["on", "off", "low", "high"]);
    });
});
