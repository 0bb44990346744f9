import { expect } from "chai";
import { checkInput } from "../../src/base/check-input.js";
import type { JsonObject } from "../../src/plugin/index.js";

const objectOf = (properties: object, more: object = {}) => ({
    type: "object",
    properties,
    ...more,
});

async function kindOf(schema: object, input: JsonObject): Promise<string> {
    const checked = await checkInput(schema, input);
    if (checked.ok) return "valid";
    return checked.error.code === "invalid-input" ? "invalid" : checked.error.code;
}

describe("Checking a call's input", () => {
    for (const draft of [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
        "https://example.com/our-own-dialect",
    ]) {
        it(`A schema that names ${draft} is understood`, async () => {
            const schema = objectOf({ n: { type: "integer" } }, { $schema: draft });
            expect(await kindOf(schema, { n: 1 })).to.equal("valid");
            expect(await kindOf(schema, { n: "one" })).to.equal("invalid");
        });
    }

    it("Tuples are understood in the syntax of either draft", async () => {
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

    it("Draft 4 limits are read beside draft 7 tuples", async () => {
        const n = { type: "integer", minimum: 0, exclusiveMinimum: true };
        const list = { type: "array", items: [{ type: "string" }] };
        expect(await kindOf(objectOf({ n, list }), { n: 1, list: ["a"] })).to.equal("valid");
        expect(await kindOf(objectOf({ n, list }), { n: 0 })).to.equal("invalid");
        const m = { ...n, exclusiveMinimum: false };
        expect(await kindOf(objectOf({ m }), { m: 0 })).to.equal("valid");
    });

    it("Unknown formats and keywords are ignored", async () => {
        const n = { type: "string", format: "int128", "x-order": 1, discriminator: {} };
        expect(await kindOf(objectOf({ n }), { n: "1" })).to.equal("valid");
    });

    it("Unicode patterns and those with older escapes are accepted", async () => {
        const letters = objectOf({ n: { type: "string", pattern: "^\\p{L}+$" } });
        expect(await kindOf(letters, { n: "é" })).to.equal("valid");
        const older = objectOf({ n: { type: "string", pattern: "^a\\_b\\-c$" } });
        expect(await kindOf(older, { n: "a_b-c" })).to.equal("valid");
        expect(await kindOf(older, { n: "abc" })).to.equal("invalid");
    });

    it("The pattern that a text does not match is named as the schema has it", async () => {
        const schema = objectOf({ id: { type: "string", pattern: "^[0-9]+$" } });
        const checked = await checkInput(schema, { id: "job-1" });
        expect(checked.ok || checked.error.message).to.equal(
            'Invalid input: `id` must match pattern "^[0-9]+$".'
        );
    });

    it("An invalid schema is reported with the reason at each use", async () => {
        const schema = objectOf({ n: { $ref: "#/definitions/nowhere" } });
        for (const input of [{ n: "a" }, { n: 1 }]) {
            const checked = await checkInput(schema, input);
            expect(checked.ok || checked.error.message).to.contain("nowhere");
        }
        for (const n of [{ type: "strnig" }, { pattern: "(" }, { enum: 7 }]) {
            expect(await kindOf(objectOf({ n }), { n: "a" })).to.equal("broken-schema");
        }
    });

    it("Each invalid field is named with what was expected", async () => {
        const schema = objectOf(
            {
                path: { type: "string" },
                line: { type: "integer", minimum: 1 },
                mode: { enum: ["before", "after"] },
                edits: { type: "array", items: objectOf({ at: { type: ["integer", "null"] } }) },
                place: { anyOf: [{ type: "string" }, { type: "object" }] },
            },
            { required: ["path"], additionalProperties: false }
        );
        const checked = await checkInput(schema, {
            line: 0,
            mode: "over",
            edits: [{ at: 1 }, { at: "end" }],
            place: 7,
            lines: 1,
        });
        const message = checked.ok ? "" : checked.error.message;
        for (const problem of [
            "`path` is missing",
            "`lines` is not a known field",
            "`line` must be >= 1",
            '`mode` must be one of "before", "after"',
            "`edits[1].at` must be of type integer or null",
        ]) {
            expect(message).to.contain(problem);
        }
        const place = await checkInput(schema, { path: "a", place: 7 });
        expect(place.ok || place.error.message).to.equal(
            "Invalid input: `place` must be of type string or object."
        );
    });

    describe("takes what can mean only one thing", () => {
        const schema = objectOf(
            {
                path: { type: "string" },
                limit: { type: "integer", minimum: 1, maximum: 50 },
                regex: { type: "boolean" },
                range: { type: "object", properties: { end: { type: "number" } } },
                either: { anyOf: [{ type: "integer" }, { type: "string" }] },
                maybe: { anyOf: [{ type: "integer" }, { type: "null" }] },
            },
            { required: ["path"], additionalProperties: false }
        );
        const meantBy = async (input: JsonObject) => {
            const checked = await checkInput(schema, { path: "a", ...input });
            if (!checked.ok) return checked.error.message;
            const { path: _path, ...meant } = checked.input;
            return meant;
        };

        it("The known fields are named once for all unknown ones of the same kind", async () => {
            const closed = { additionalProperties: false };
            const text = { content: { type: "string" } };
            const todo = objectOf(text, { ...closed, required: ["content"] });
            const todos = objectOf({ todos: { type: "array", items: todo } }, closed);
            const checked = await checkInput(todos, {
                todos: [
                    { text: "a", by: "b" },
                    { text: "c", content: "d" },
                ],
                list: 1,
            });
            expect(checked).to.have.nested.property(
                "error.message",
                "Invalid input: `list` is not a known field (known: todos); " +
                    "`todos[0].text` is not a known field (known: content); " +
                    "`todos[0].by` is not a known field; `todos[1].text` is not a known field; " +
                    "`todos[0].content` is missing."
            );
        });

        it("An optional field that is null is absent, unless null is a value of its own", async () => {
            expect(await meantBy({ limit: null, maybe: null })).to.deep.equal({ maybe: null });
            expect(await meantBy({ path: null })).to.contain("`path` must be of type string");
        });

        it("A number or boolean written as text is converted where text does not fit", async () => {
            expect(
                await meantBy({ limit: "12", regex: "true", range: { end: "1.5" }, either: "7" })
            ).to.deep.equal({ limit: 12, regex: true, range: { end: 1.5 }, either: "7" });
            for (const limit of ["", " 12", "12 lines", "0x10", "1e3", "1.5"]) {
                expect(await meantBy({ limit })).to.contain("`limit`");
            }
            expect(await meantBy({ regex: "yes" })).to.contain("`regex`");
        });

        it("A number beyond a maximum is clamped, and a note says so", async () => {
            const checked = await checkInput(schema, { path: "a", limit: "900" });
            expect(checked).to.deep.equal({
                ok: true,
                input: { path: "a", limit: 50 },
                notes: ["limit is at most 50: used 50 instead of 900."],
            });
            expect(await meantBy({ limit: 0 })).to.contain("`limit` must be >= 1");
        });

        it("An unexpected comment field is ignored, and any other unknown field is refused", async () => {
            expect(await meantBy({ description: "Adds a test", limit: 2 })).to.deep.equal({
                limit: 2,
            });
            expect(await meantBy({ limits: 2 })).to.contain("`limits` is not a known field");
            expect(await meantBy({ description: { limit: 2 } })).to.contain("`description`");
        });

        it("Input that fits is passed on unchanged", async () => {
            const input = { path: "12", limit: 50, either: "7" };
            const checked = await checkInput(schema, input);
            expect(checked.ok && checked.input).to.equal(input);
        });
    });

    it("A pattern that needs more than linear time is matched in linear time or left to the tool", async () => {
        const twice = (pattern: string) => objectOf({ n: { type: "string", pattern } });
        const n = `${"a".repeat(40_000)}!`;
        expect(await kindOf(twice("^(a+)+$"), { n })).to.equal("invalid");
        expect(await kindOf(twice("^(?=(a+)+$)"), { n })).to.equal("valid");
        expect(await kindOf(twice("\\p{L}{500}".repeat(20)), { n })).to.equal("valid");
        const named = { patternProperties: { "^(a+)+$": { type: "string" } } };
        expect(await kindOf(objectOf({}, named), { [n]: 1 })).to.equal("valid");
    });

    it("A schema whose references double at each level is invalid, not endless", async () => {
        const levels = Array.from({ length: 40 }, (_, level) => {
            const $ref = `#/$defs/d${level + 1}`;
            return [`d${level}`, { allOf: [{ $ref }, { $ref }] }];
        });
        const $defs = { ...Object.fromEntries(levels), d40: { type: "integer" } };
        const schema = objectOf({ n: { $ref: "#/$defs/d0" } }, { $defs });
        expect(await kindOf(schema, { n: 1 })).to.equal("broken-schema");
        expect(await kindOf(objectOf({ n: { $ref: "#" } }), { n: {} })).to.equal("valid");
    });
});
