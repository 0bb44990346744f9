import { expect } from "chai";
import { resolveModel } from "../../../src/core/registry/models.js";
import type { ModelInfo, Provider } from "../../../src/plugin/index.js";

const modelOf = (id: string): ModelInfo => ({
    id,
    aliases: [],
    displayName: id,
    contextTokens: 1,
    maxOutputTokens: 1,
});

const anything: Provider = {
    id: "local",
    displayName: "Local",
    models: [modelOf("listed")],
    describesAnyModel: true,
    describe: modelOf,
    connect: () => Promise.reject(new Error("Never")),
};

const family: Provider = {
    ...anything,
    id: "vendor",
    models: [],
    describesAnyModel: false,
    describe: (id) => (id.startsWith("v-") ? modelOf(id) : undefined),
};

describe("Providers that serve any model", () => {
    it("An unlisted model is found only with its provider's name", () => {
        const found = resolveModel("local/llama3:8b", [anything, family]);
        expect(found.model.id).to.equal("llama3:8b");
        expect(found.provider.id).to.equal("local");
        expect(found).to.not.have.property("notice");
    });

    it("A mistyped model never falls to a provider that serves any model", () => {
        expect(() => resolveModel("sonet", [anything, family]))
            .to.throw()
            .with.property("code", "unknown-model");
    });

    it("A model of a known family goes to its vendor", () => {
        expect(resolveModel("v-2", [anything, family]).provider.id).to.equal("vendor");
    });

    it("A listed model is found, and slashes in its id are kept", () => {
        expect(resolveModel("listed", [anything]).provider.id).to.equal("local");
        expect(resolveModel("local/org/model", [anything]).model.id).to.equal("org/model");
    });
});
