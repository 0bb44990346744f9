import { expect } from "chai";
import { modelTable } from "../../../src/host/models/model-list.js";

describe("The list of models", () => {
    it("A price below a cent is shown as it is, not rounded to nothing", () => {
        const model = (id: string, input: number, output: number) => {
            const prices = { input, output, asOf: "2026-01-01", source: "test" };
            const limits = { contextTokens: 1_000, maxOutputTokens: 100 };
            const place = { provider: "sample", hasKey: true, from: "server" };
            return { id, aliases: [], displayName: id, prices, ...limits, ...place };
        };
        const models = [model("small", 0.004, 0.0375), model("large", 3, 12.5)];
        const [, small = "", large = ""] = modelTable({ models, problems: [] }).split("\n");
        expect(small).to.match(/ 0\.004 +0\.0375 /);
        expect(large).to.match(/ 3\.00 +12\.50 /);
    });
});
