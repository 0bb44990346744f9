import { expect } from "chai";
import { model } from "../../../src/builtin/slash/model.js";
import { modelInfo, openSlash } from "../../helpers/slash-session.js";

describe("/model", () => {
    it("/model selects a model by name", async () => {
        const { context, done, text } = openSlash();
        await model.run(" gpt-5.1 ", context);
        expect(done).to.deep.equal(["select gpt-5.1"]);
        expect(text()).to.equal("Model: GPT-5.1");
    });

    it("/model offers only models that are still served", async () => {
        const { context, done, offered } = openSlash({ picks: "gpt-5.1" });
        await model.run("", context);
        expect(offered.filter(({ isCurrent }) => isCurrent)).to.have.length(1);
        expect(offered[0]?.isCurrent).to.equal(true);
        expect(offered.map(({ value, description }) => `${value}: ${description}`)).to.deep.equal([
            "anthropic/claude-sonnet-5-5: sonnet-5.5, anthropic, 200K context, $3/$15 per M",
            "openai/gpt-5.1: gpt-5.1, openai, 200K context, no key",
        ]);
        expect(done).to.deep.equal(["select gpt-5.1"]);
    });

    it("/model says that a model change turned thinking off", async () => {
        const { context, text } = openSlash();
        const { session } = context;
        let on = true;
        const models = {
            ...session.models,
            async select(name: string) {
                on = false;
                return session.models.select(name);
            },
        };
        const thinking = { ...session.thinking, current: () => ({ on }) };
        await model.run("gpt-5.1", { ...context, session: { ...session, models, thinking } });
        expect(text()).to.equal("Model: GPT-5.1, thinking off");
    });

    it("/model changes nothing when the choice is cancelled", async () => {
        const { context, done, printed } = openSlash();
        await model.run("", context);
        expect([...done, ...printed]).to.deep.equal([]);
    });

    it("/model completes aliases, and dots equal dashes", async () => {
        const { context } = openSlash();
        expect(await model.complete?.("sonnet-5-", context)).to.deep.equal([
            { value: "sonnet-5.5", description: "SONNET-5.5" },
        ]);
    });

    it("/model names the provider of a model that several serve", async () => {
        const { context } = openSlash();
        const { session } = context;
        const list = async () =>
            ["openai", "chatgpt"].map((provider) => ({
                model: modelInfo("gpt-9", "nova"),
                provider,
                hasKey: true,
                isCurrent: provider === "chatgpt",
            }));
        const both = { ...context, session: { ...session, models: { ...session.models, list } } };
        const completed = await model.complete?.("", both);
        expect(completed?.map(({ value }) => value)).to.deep.equal(["openai/nova", "chatgpt/nova"]);
    });

    it("/model completes thinking variants once something is typed", async () => {
        const { context } = openSlash();
        const thinks = modelInfo("deep-1", "deep", { thinking: "adaptive" });
        const models = [{ model: thinks, provider: "vendor", hasKey: true, isCurrent: true }];
        const { session } = context;
        const listed = { ...session.models, list: async () => models };
        const listing = { ...context, session: { ...session, models: listed } };
        const completed = async (typed: string) =>
            (await model.complete?.(typed, listing))?.map(({ value }) => value);
        expect(await completed("")).to.deep.equal(["deep"]);
        expect(await completed("dee")).to.deep.equal(["deep", "deep-thinking"]);
    });
});
