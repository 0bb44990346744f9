import { expect } from "chai";
import type { JsonObject } from "../../../src/plugin/index.js";
import { checkInput } from "../../../src/core/registry/validate-input.js";

const objectOf = (properties: object, more: object = {}) => ({
    type: "object",
    properties,
    ...more,
});

async function kindOf(schema: object, input: JsonObject): Promise<string> {
    return (await checkInput(schema, input)).kind;
}

describe("the check of a call's input", () => {
    for (const draft of [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
        "https://example.com/our-own-dialect",
    ]) {
        it(`understands a schema that names ${draft}`, async () => {
            const schema = objectOf({ n: { type: "integer" } }, { $schema: draft });
            expect(await kindOf(schema, { n: 1 })).to.equal("valid");
            expect(await kindOf(schema, { n: "1" })).to.equal("invalid");
        });
    }

    it("reads a list of positions as either draft writes it", async () => {
        const positions = [{ type: "string" }, { type: "integer" }];
        for (const list of [
            { type: "array", items: positions },
            { type: "array", prefixItems: positions },
        ]) {
            const schema = objectOf({ list });
            expect(await kindOf(schema, { list: ["a", 1] })).to.equal("valid");
            expect(await kindOf(schema, { list: [1, "a"] })).to.equal("invalid");
        }
    });

    it("reads limits as draft 4 writes them, beside positions of draft 7", async () => {
        const n = { type: "integer", minimum: 0, exclusiveMinimum: true };
        const list = { type: "array", items: [{ type: "string" }] };
        expect(await kindOf(objectOf({ n, list }), { n: 1, list: ["a"] })).to.equal("valid");
        expect(await kindOf(objectOf({ n, list }), { n: 0 })).to.equal("invalid");
        const m = { ...n, exclusiveMinimum: false };
        expect(await kindOf(objectOf({ m }), { m: 0 })).to.equal("valid");
    });

    it("leaves alone the formats and keywords that it does not know", async () => {
        const n = { type: "string", format: "int128", "x-order": 1, discriminator: {} };
        expect(await kindOf(objectOf({ n }), { n: "1" })).to.equal("valid");
    });

    it("takes patterns of Unicode and those with the older escapes", async () => {
        const letters = objectOf({ n: { type: "string", pattern: "^\\p{L}+$" } });
        expect(await kindOf(letters, { n: "é" })).to.equal("valid");
        const older = objectOf({ n: { type: "string", pattern: "^a\\_b\\-c$" } });
        expect(await kindOf(older, { n: "a_b-c" })).to.equal("valid");
        expect(await kindOf(older, { n: "abc" })).to.equal("invalid");
    });

    it("says of a schema that no draft allows why, each time it is used", async () => {
        const schema = objectOf({ n: { $ref: "#/definitions/nowhere" } });
        for (const input of [{ n: "a" }, { n: 1 }]) {
            const check = await checkInput(schema, input);
            expect(check.kind === "broken-schema" && check.reason).to.contain("nowhere");
        }
        for (const n of [{ type: "strnig" }, { pattern: "(" }, { enum: 7 }]) {
            expect(await kindOf(objectOf({ n }), { n: "a" })).to.equal("broken-schema");
        }
    });
});
