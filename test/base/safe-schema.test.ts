import { expect } from "chai";
import { toSafeSchema } from "../../src/base/safe-schema.js";

type Row = readonly [title: string, schema: object, valid: unknown[], invalid: unknown[]];

const DRAFT_4 = "http://json-schema.org/draft-04/schema#";
const DRAFT_7 = "http://json-schema.org/draft-07/schema#";
const tree = {
    $id: "https://example.com/tree",
    $dynamicAnchor: "node",
    type: "object",
    properties: { data: true, children: { type: "array", items: { $dynamicRef: "#node" } } },
};

// One row for each rule of the official test suite that a converted schema could break:
// https://github.com/json-schema-org/JSON-Schema-Test-Suite
const ROWS: readonly Row[] = [
    ["a reference to true", { $ref: "#/$defs/a", $defs: { a: true } }, [1, null], []],
    ["a reference to false", { $ref: "#/$defs/a", $defs: { a: false } }, [], [1, null]],
    [
        "a reference with keywords beside it",
        { properties: { a: { $ref: "#/$defs/a", maxItems: 2 } }, $defs: { a: { type: "array" } } },
        [{ a: [1] }],
        [{ a: [1, 2, 3] }, { a: "x" }],
    ],
    [
        "a reference of draft 7, which hides what is beside it",
        {
            $schema: DRAFT_7,
            properties: { a: { $ref: "#/definitions/a", maxItems: 2 } },
            definitions: { a: { type: "array" } },
        },
        [{ a: [1, 2, 3] }],
        [{ a: "x" }],
    ],
    [
        "references with escaped names",
        {
            properties: {
                a: { $ref: "#/$defs/til~0de" },
                b: { $ref: "#/$defs/sla~1sh" },
                c: { $ref: "#/$defs/per%25cent" },
                d: { $ref: "#/$defs/qu%22ote" },
            },
            $defs: {
                "til~de": { type: "integer" },
                "sla/sh": { type: "integer" },
                "per%cent": { type: "integer" },
                'qu"ote': { type: "integer" },
            },
        },
        [{ a: 1, b: 1, c: 1, d: 1 }],
        [{ a: "x" }, { b: "x" }, { c: "x" }, { d: "x" }],
    ],
    [
        "definitions in a place of their own",
        { $ref: "#/components/schemas/a", components: { schemas: { a: { type: "integer" } } } },
        [1],
        ["x"],
    ],
    [
        "a recursive reference",
        { properties: { next: { $ref: "#" } }, additionalProperties: false },
        [{ next: { next: {} } }],
        [{ next: { other: 1 } }],
    ],
    [
        "a reference to an identifier",
        { $ref: "item.json", $defs: { a: { $id: "item.json", type: "integer" } } },
        [1],
        ["x"],
    ],
    [
        "a reference within a schema that has an identifier",
        {
            $id: "https://example.com/outer.json",
            $ref: "inner.json",
            $defs: {
                a: {
                    $id: "inner.json",
                    $defs: { b: { type: "integer" } },
                    properties: { n: { $ref: "#/$defs/b" } },
                },
                b: { type: "string" },
            },
        },
        [{ n: 1 }],
        [{ n: "x" }],
    ],
    [
        "references in folders of identifiers",
        {
            $id: "https://example.com/a/",
            items: { $id: "b/", items: { $ref: "list.json" } },
            $defs: { a: { $id: "b/list.json", type: "integer" } },
        },
        [[[1]]],
        [[["x"]]],
    ],
    [
        "an anchor",
        { $ref: "#whole", $defs: { a: { $anchor: "whole", type: "integer" } } },
        [1],
        ["x"],
    ],
    [
        "the same anchor in two resources",
        {
            $ref: "b#name",
            $defs: {
                a: { $id: "a", $anchor: "name", type: "string" },
                b: { $id: "b", $anchor: "name", type: "integer" },
            },
        },
        [1],
        ["x"],
    ],
    [
        "an anchor in the spelling of draft 7",
        {
            $schema: DRAFT_7,
            $ref: "#whole",
            definitions: { a: { $id: "#whole", type: "integer" } },
        },
        [1],
        ["x"],
    ],
    [
        "an identifier in the spelling of draft 4",
        {
            $schema: DRAFT_4,
            id: "http://example.com/outer",
            properties: { n: { $ref: "inner" } },
            definitions: { a: { id: "inner", type: "integer" } },
        },
        [{ n: 1 }],
        [{ n: "x" }],
    ],
    [
        "a URN as identifier",
        { $id: "urn:example:a", $ref: "urn:example:a#/$defs/b", $defs: { b: { type: "integer" } } },
        [1],
        ["x"],
    ],
    [
        "an identifier with an empty fragment",
        {
            $ref: "https://example.com/a",
            $defs: { a: { $id: "https://example.com/a#", type: "integer" } },
        },
        [1],
        ["x"],
    ],
    [
        "identifiers in values, which name nothing",
        {
            $ref: "https://example.com/a",
            $defs: {
                a: { enum: [{ $id: "https://example.com/a", type: "null" }] },
                b: { $id: "https://example.com/a", type: "string" },
            },
            unknown: { $id: "https://example.com/a", type: "null" },
        },
        ["x"],
        [null, 1],
    ],
    [
        "properties named like keywords",
        {
            properties: {
                $ref: { type: "string" },
                pattern: { type: "string" },
                id: { type: "string" },
            },
        },
        [{ $ref: "a", pattern: "(", id: "a" }],
        [{ $ref: 2 }, { pattern: 2 }, { id: 2 }],
    ],
    [
        "properties named like those of objects",
        { properties: { hasOwnProperty: true, constructor: { type: "number" } } },
        [{}, { hasOwnProperty: "x" }],
        [{ constructor: "x" }],
    ],
    [
        "a dynamic reference, extended by the root",
        {
            $id: "https://example.com/strict",
            $dynamicAnchor: "node",
            $ref: "tree",
            unevaluatedProperties: false,
            $defs: { tree },
        },
        [{ children: [{ data: 1 }] }],
        [{ children: [{ dat: 1 }] }],
    ],
    [
        "a recursive reference, extended by the root",
        {
            $schema: "https://json-schema.org/draft/2019-09/schema",
            $id: "https://example.com/strict",
            $recursiveAnchor: true,
            $ref: "tree",
            unevaluatedProperties: false,
            $defs: {
                tree: {
                    $id: "tree",
                    $recursiveAnchor: true,
                    properties: { data: true, next: { $recursiveRef: "#" } },
                },
            },
        },
        [{ next: { data: 1 } }],
        [{ next: { dat: 1 } }],
    ],
    [
        "names that match a pattern",
        { patternProperties: { "^a": { type: "integer" }, b$: { maximum: 20 } } },
        [{}, { a: 1 }, { c: "x" }, { ab: 3, b: 20 }, 7],
        [{ a: "x" }, { b: 21 }, { ab: 21 }, { ab: "x" }, { c: 1, aa: "x" }],
    ],
    [
        "a pattern whose names are forbidden",
        { patternProperties: { "^x-": false } },
        [{ a: 1 }],
        [{ "x-a": 1 }],
    ],
    [
        "additional properties beside patterns",
        {
            properties: { a: true, "b.c": true },
            patternProperties: { "^x-[a-z]+$": true },
            additionalProperties: { type: "integer" },
        },
        [{ a: "s", "b.c": "s", "x-abc": "s", other: 1 }],
        [{ other: "s" }, { bxc: "s" }, { "x-": "s" }, { "x-A": "s" }],
    ],
    [
        "unevaluated properties beside patterns",
        { patternProperties: { "^x-": true }, unevaluatedProperties: false },
        [{ "x-a": 1 }],
        [{ a: 1 }],
    ],
    [
        "unevaluated properties around patterns",
        { allOf: [{ patternProperties: { "^x-": true } }], unevaluatedProperties: false },
        [{ "x-a": 1 }],
        [{ a: 1 }],
    ],
    [
        "unevaluated properties around a reference",
        {
            $ref: "#/$defs/a",
            properties: { b: true },
            unevaluatedProperties: false,
            $defs: { a: { properties: { a: true } } },
        },
        [{ a: 1, b: 1 }],
        [{ c: 1 }],
    ],
    [
        "unevaluated properties of the alternative that matches",
        {
            anyOf: [
                { properties: { a: { const: 1 } }, required: ["a"] },
                { properties: { b: { const: 1 } }, required: ["b"] },
            ],
            unevaluatedProperties: false,
        },
        [{ a: 1 }, { a: 1, b: 1 }],
        [
            { a: 1, b: 2 },
            { a: 1, c: 1 },
        ],
    ],
    [
        "unevaluated items after a prefix",
        { prefixItems: [true], unevaluatedItems: { type: "integer" } },
        [[], ["x"], ["x", 1]],
        [["x", "y"]],
    ],
    [
        "patterns of names with all that a pattern can hold",
        { patternProperties: { "[.]": { type: "integer" } }, additionalProperties: false },
        [{ "a.b": 1, "(.|[": 2, "^.$": 3, "\n.": 4, "é.\\": 5 }],
        [{ a: 1 }, { "^.$": "x" }],
    ],
    ["conditions", { if: { type: "string" }, then: { minLength: 2 } }, [1, "ab"], ["a"]],
    ["not", { not: { pattern: "^a" } }, ["b", ""], ["a"]],
    ["one of", { oneOf: [{ pattern: "^a" }, { pattern: "b$" }] }, ["a", "b"], ["ab", "c"]],
    [
        "dependencies",
        { dependencies: { a: ["b"], c: { required: ["d"] } } },
        [{ a: 1, b: 1 }, { c: 1, d: 1 }, {}],
        [{ a: 1 }, { c: 1 }],
    ],
    [
        "dependent schemas and names",
        { dependentRequired: { a: ["b"] }, dependentSchemas: { c: { required: ["d"] } } },
        [
            { a: 1, b: 1 },
            { c: 1, d: 1 },
        ],
        [{ a: 1 }, { c: 1 }],
    ],
    ["names of properties", { propertyNames: { pattern: "^[a-z]+$" } }, [{ a: 1 }], [{ A: 1 }]],
    [
        "tuples of draft 7",
        { items: [{ type: "integer" }], additionalItems: { type: "string" } },
        [[], [1], [1, "x"]],
        [["x"], [1, 2]],
    ],
    [
        "how many items match",
        { contains: { const: 1 }, minContains: 2, maxContains: 3 },
        [
            [1, 1],
            [1, 1, 1, 2],
        ],
        [[1], [1, 1, 1, 1]],
    ],
    ["lengths in characters", { maxLength: 2 }, ["💩💩"], ["abc"]],
    [
        "equal values",
        { uniqueItems: true },
        [
            [1, true],
            [{ a: 1 }, { a: 2 }],
        ],
        [
            [1, 1],
            [{ a: 1 }, { a: 1 }],
        ],
    ],
    ["a multiple of a fraction", { multipleOf: 0.01 }, [0.07, 19.99], [0.075]],
    ["an integer with a fraction of zero", { type: "integer" }, [1.0], [1.5]],
    ["a constant object", { const: { a: [1] } }, [{ a: [1] }], [{ a: 1 }, { a: [1], b: 1 }]],
    ["formats, which are annotations", { format: "email" }, ["no address"], []],
];

async function isValid(schema: object, value: unknown): Promise<boolean> {
    return (await toSafeSchema(schema)).problems(value).length === 0;
}

async function refusal(schema: object): Promise<unknown> {
    return toSafeSchema(schema).then(
        () => undefined,
        (error: Error) => error.message
    );
}

describe("Checking against JSON Schema", () => {
    for (const [title, schema, valid, invalid] of ROWS) {
        it(`Values are judged as the standard says: ${title}`, async () => {
            for (const value of valid) {
                expect(await isValid(schema, value), JSON.stringify(value)).to.equal(true);
            }
            for (const value of invalid) {
                expect(await isValid(schema, value), JSON.stringify(value)).to.equal(false);
            }
        });
    }

    it("A value that a pattern beyond linear time might allow is never refused for it", async () => {
        const odd = "^(?=.*\\d)(?!0)";
        for (const schema of [
            { pattern: odd },
            { not: { pattern: odd } },
            { oneOf: [{ pattern: odd }, { type: "string" }] },
            { if: { pattern: odd }, then: false },
            { patternProperties: { [odd]: true }, additionalProperties: false },
            { allOf: [{ patternProperties: { [odd]: true } }], unevaluatedProperties: false },
        ]) {
            for (const value of ["1", "a", { a1: 1 }]) {
                const place = JSON.stringify([schema, value]);
                expect(await isValid({ properties: { n: schema } }, { n: value }), place).to.equal(
                    true
                );
            }
        }
        expect(await isValid({ pattern: odd, type: "string" }, 1)).to.equal(false);
    });

    it("A schema that refers to something outside itself is refused with the reference", async () => {
        for (const $ref of [
            "https://example.com/a.json",
            "a.json#/$defs/a",
            "https://json-schema.org/draft/2020-12/schema",
        ]) {
            const schema = { properties: { n: { $ref } } };
            expect(await refusal(schema)).to.equal(`it refers to ${$ref}, which is not part of it`);
        }
        for (const $ref of ["#/$defs/a", "#a", "#/properties/n/type"]) {
            const schema = { properties: { n: { $ref, type: "string" } } };
            expect(await refusal(schema)).to.equal(`it refers to ${$ref}, which does not exist`);
        }
    });

    it("A dynamic reference that depends on the path to it is refused", async () => {
        const other = { $id: "https://example.com/other", $dynamicAnchor: "node" };
        const schema = { anyOf: [{ $ref: "https://example.com/tree" }], $defs: { tree, other } };
        expect(await refusal(schema)).to.contain("more than one possible target");
    });

    it("What a schema of false forbids is named", async () => {
        const schema = {
            properties: { old: false, list: { prefixItems: [true], items: false } },
            unevaluatedProperties: false,
        };
        const { problems } = await toSafeSchema(schema);
        expect(problems({ old: 1 })).to.deep.equal(["`old` is not allowed"]);
        expect(problems({ list: [1, 2] })).to.deep.equal(["`list[1]` is not allowed"]);
        expect(problems({ other: 1 })).to.deep.equal(["`other` is not a known field"]);
        expect((await toSafeSchema({ allOf: [false] })).problems(1, "it")).to.deep.equal([
            "it is not allowed",
        ]);
    });

    it("Thousands of names are matched against patterns in linear time", async () => {
        const schema = {
            items: {
                patternProperties: { "^(x+)+$": { type: "integer" } },
                additionalProperties: { type: "string" },
            },
        };
        const { problems } = await toSafeSchema(schema);
        const names = Array.from({ length: 3_000 }, (_, index) => `${"x".repeat(20)}!${index}`);
        expect(problems(names.map((name) => ({ [name]: "text" })))).to.deep.equal([]);
        expect(problems([Object.fromEntries(names.map((name) => [name, 1]))])).to.have.length(8);
    });
});
