import { expect } from "chai";
import type { Tool, Workspace } from "north-cli/plugin";
import { checkTool, runTool, toolContext } from "north-cli/plugin-testing";
import { jsonValue } from "../json-value.js";
import register from "../register.js";

/** As much of a workspace as the tool uses, with one file in it. */
function context(text: string) {
    const bytes = new TextEncoder().encode(text);
    const read: Workspace["read"] = async (path) => ({ path, bytes, hash: "0", mode: 0o644 });
    return toolContext({ workspace: { read } as Workspace });
}

const tool = jsonValue as Tool;
const text = '{"scripts": {"test": "mocha", "a/b": null}, "list": [1, [2]]}';

describe("json_value", () => {
    it("json_value satisfies the tool contract", async () => {
        await checkTool(tool, {
            accepted: [
                { path: "package.json", pointer: "/scripts/test" },
                { path: "two\nlines", pointer: "" },
            ],
            refused: [{}, { path: "", pointer: "" }, { path: "a", pointer: "scripts" }],
        });
    });

    it("The plugin contributes json_value", async () => {
        expect(await register({})).to.deep.equal({ apiVersion: 1, tools: [jsonValue] });
    });

    it("A value is found by its pointer", async () => {
        const cases = [
            ["/scripts/test", "string", "mocha"],
            ["/scripts/a~1b", "null", null],
            ["/list/1/0", "number", 2],
            ["/list", "array", [1, [2]]],
            ["", "object", JSON.parse(text)],
        ] as const;
        for (const [pointer, type, value] of cases) {
            const answer = await runTool(tool, { path: "a.json", pointer }, context(text));
            expect(answer).to.deep.equal({ ok: true, data: { path: "a.json", type, value } });
        }
    });

    it("A pointer to a missing value reports what exists instead", async () => {
        const input = { path: "a.json", pointer: "/scripts/build" };
        const missing = await runTool(tool, input, context(text));
        expect(missing).to.deep.include({ ok: false });
        expect(JSON.stringify(missing)).to.contain("There are: test, a/b.");
        const inherited = { path: "a.json", pointer: "/constructor" };
        expect((await runTool(tool, inherited, context(text))).ok).to.equal(false);
        expect((await runTool(tool, input, context("{"))).ok).to.equal(false);
    });
});
