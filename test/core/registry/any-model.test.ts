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

describe("a provider that serves any model", () => {
    it("is asked for what it does not list only by its own name", () => {
        const found = resolveModel("local/llama3:8b", [anything, family]);
        expect(found.model.id).to.equal("llama3:8b");
        expect(found.provider.id).to.equal("local");
        expect(found).to.not.have.property("notice");
    });

    it("is not taken for a model that was mistyped", () => {
        expect(() => resolveModel("sonet", [anything, family]))
            .to.throw()
            .with.property("code", "unknown-model");
    });

    it("leaves the models of a known family to their vendor", () => {
        expect(resolveModel("v-2", [anything, family]).provider.id).to.equal("vendor");
    });

    it("is found by what it lists, and passes slashes on", () => {
        expect(resolveModel("listed", [anything]).provider.id).to.equal("local");
        expect(resolveModel("local/org/model", [anything]).model.id).to.equal("org/model");
    });
});
