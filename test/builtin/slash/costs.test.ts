import { expect } from "chai";
import { costs } from "../../../src/builtin/slash/costs.js";
import type { ModelCost } from "../../../src/plugin/index.js";
import { SONNET_COST, openSlash } from "../../helpers/slash-session.js";

describe("/costs", () => {
    const mistral = { ...SONNET_COST, provider: "mistral", model: "medium", costUsd: 0.004 };
    const shown = async (models: readonly ModelCost[]) => {
        const { context, text } = openSlash({ costs: models });
        await costs.run("", context);
        const [conversation = ""] = text().split("\n\n");
        return conversation.split("\n");
    };

    it("/costs shows each model, and sums for a provider with several and for all", async () => {
        expect(await shown([SONNET_COST, { ...SONNET_COST, model: "new" }, mistral])).to.deep.equal(
            [
                "This conversation",
                "  anthropic            2,469,134 in, 197,530 cached, 1,780 out  $3.00",
                "    claude-sonnet-5-5     1,234,567 in, 98,765 cached, 890 out  $1.50",
                "    new                   1,234,567 in, 98,765 cached, 890 out  $1.50",
                "  mistral/medium          1,234,567 in, 98,765 cached, 890 out  $0.004",
                "  total                3,703,701 in, 296,295 cached, 2,670 out  $3.00",
            ]
        );
    });

    it("/costs shows no sum that repeats a line", async () => {
        expect(await shown([SONNET_COST])).to.deep.equal([
            "This conversation",
            "  anthropic/claude-sonnet-5-5  1,234,567 in, 98,765 cached, 890 out  $1.50",
        ]);
    });

    it("/costs never shows an unknown price as zero", async () => {
        const unknown = { ...SONNET_COST, model: "new", costUsd: 0, unpricedRequests: 3 };
        const { context, text } = openSlash({ costs: [SONNET_COST, unknown] });
        await costs.run("", context);
        expect(text()).to.match(/ anthropic\/new +.* unknown\n/);
        expect(text()).to.match(/total +.*\$1\.50 \+ unknown/);
    });

    it("/costs marks an unconfirmed price", async () => {
        const unsure = { ...SONNET_COST, model: "new", unconfirmedRequests: 1 };
        const { context, text } = openSlash({ costs: [SONNET_COST, unsure] });
        await costs.run("", context);
        expect(text()).to.match(/ anthropic\/new +.*\$1\.50, price unconfirmed\n/);
        expect(text()).to.match(/ anthropic\/claude-sonnet-5-5 +.*\$1\.50\n/);
    });

    it("/costs says when nothing has been spent yet", async () => {
        const { context, text } = openSlash();
        await costs.run("", context);
        expect(text()).to.equal("This conversation\n  nothing yet\n\nAll time\n  nothing yet");
    });
});
