import { expect } from "chai";
import fc from "fast-check";
import { builtin } from "../../../src/builtin/index.js";
import { schemaForModels, toToolSchema } from "../../../src/core/registry/tool-schema.js";
import type { PlainTool } from "../../../src/plugin/index.js";
import {
    checkAnthropicSchema,
    checkMistralSchema,
    checkOpenaiDescription,
    checkOpenaiSchema,
} from "../../helpers/vendors/schema-checks.js";

const objectOf = (properties: object, more: object = {}) => ({
    type: "object",
    properties,
    ...more,
});

/** What is sent of a field with this schema. */
const sent = (field: object, more: object = {}): unknown =>
    (schemaForModels(objectOf({ field }, more)) as { properties: { field: unknown } }).properties
        .field;

function checkForAll(schema: object): void {
    checkAnthropicSchema(schema, "tool");
    checkOpenaiSchema(schema, "tool");
    checkMistralSchema(schema, "tool");
}

describe("Tool schemas for models", () => {
    it("A schema that every vendor accepts is passed on unchanged", () => {
        for (const tool of builtin.tools ?? []) {
            const { name, description, inputSchema } = tool;
            expect(JSON.stringify(toToolSchema(tool))).to.equal(
                JSON.stringify({ name, description, inputSchema })
            );
        }
    });

    it("Tuples and limits are rewritten to the newest draft", () => {
        const items = [{ type: "number" }, { type: "string" }];
        const list = { type: "array", items: {}, prefixItems: items };
        expect(sent({ type: "array", items })).to.deep.equal(list);
        expect(sent({ type: "array", prefixItems: items })).to.deep.equal(list);
        expect(sent({ items, additionalItems: false })).to.deep.equal({
            items: {},
            prefixItems: items,
            maxItems: 2,
        });
        expect(sent({ type: ["array", "null"] })).to.deep.equal({
            type: ["array", "null"],
            items: {},
        });
        expect(sent({ type: "integer", minimum: 0, exclusiveMinimum: true })).to.deep.equal({
            type: "integer",
            exclusiveMinimum: 0,
        });
    });

    it("References are inlined", () => {
        const definitions = { "a/b": { type: "string", minLength: 1 } };
        const reference = { $ref: "#/definitions/a~1b", description: "Which" };
        expect(sent(reference, { definitions })).to.deep.equal({
            type: "string",
            minLength: 1,
            description: "Which",
        });
        expect(sent({ $ref: "#/$defs/nowhere", title: "A" })).to.deep.equal({ title: "A" });
        expect(sent({ $ref: "https://example.org/schema.json" })).to.deep.equal({});
        const tree = objectOf({ children: { type: "array", items: { $ref: "#/$defs/tree" } } });
        expect(schemaForModels({ $ref: "#/$defs/tree", $defs: { tree } })).to.deep.equal(
            objectOf({ children: { type: "array", items: {} } })
        );
    });

    it("A schema that refers to itself terminates", () => {
        const twice = { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/c" } };
        const all = Object.fromEntries(
            [..."bcdefghijklm"].map((name, index, names) => [
                name,
                objectOf({
                    ...twice,
                    c: { $ref: `#/$defs/${names[index + 1] ?? "b"}` },
                    d: { $ref: `#/$defs/${names[index + 2] ?? "b"}` },
                }),
            ])
        );
        const { length } = JSON.stringify(schemaForModels(objectOf(twice, { $defs: all })));
        expect(length).to.be.below(50_000);
    });

    it("A union shows the fields of all alternatives and requires only those always valid", () => {
        const schema = {
            $schema: "http://json-schema.org/draft-07/schema#",
            anyOf: [objectOf({ a: { type: "string" } }), objectOf({ b: true, "two words": {} })],
            required: ["id", "two words", "id"],
            properties: { id: { type: "string" } },
        };
        expect(schemaForModels(schema)).to.deep.equal({
            type: "object",
            properties: { id: { type: "string" }, a: { type: "string" }, b: {} },
            required: ["id"],
        });
    });

    it("A long description is shortened to OpenAI's limit", () => {
        const [tool] = builtin.tools as readonly PlainTool[];
        const { description } = toToolSchema({ ...tool!, description: "long ".repeat(5_000) });
        checkOpenaiDescription(description, "tool");
        expect(description.slice(0, 10)).to.equal("long long ");
    });

    it("Repeated values of an enumeration are sent once", () => {
        const size = { enum: ["s", "m", "s", 1, 1], type: ["string", "number"] };
        const converted = schemaForModels({ type: "object", properties: { size } });
        expect(converted).to.have.nested.property("properties.size.enum").deep.equal(["s", "m", 1]);
    });

    it("Every vendor accepts the converted schema, whatever the input", () => {
        const keyword = fc.constantFrom(
            ...["type", "items", "properties", "required", "anyOf", "oneOf", "allOf", "enum"],
            ...["$ref", "$id", "$schema", "minimum", "exclusiveMinimum", "pattern", "minLength"],
            ...["additionalProperties", "prefixItems", "additionalItems", "not", "const", "a b"]
        );
        const { schema } = fc.letrec((tie) => ({
            leaf: fc.oneof(
                fc.constantFrom("array", "object", "#", "#/properties/type", "[", true, false),
                fc.double(),
                fc.string()
            ),
            value: fc.oneof(
                { depthSize: "small" },
                tie("leaf"),
                fc.array(tie("value"), { maxLength: 3 }),
                tie("schema")
            ),
            schema: fc.dictionary(keyword, tie("value"), { maxKeys: 6 }),
        }));
        fc.assert(
            fc.property(schema, (any) => {
                const text = JSON.stringify(any);
                const parsed: object = JSON.parse(text);
                checkForAll(JSON.parse(JSON.stringify(schemaForModels(parsed))));
                expect(JSON.stringify(parsed)).to.equal(text);
            }),
            { numRuns: 300 }
        );
    });
});
