import { expect } from "chai";
import { problemsIn } from "../../../src/base/json-schema.js";
import { builtin } from "../../../src/builtin/index.js";
import { expandOutput } from "../../../src/builtin/tools/expand-output.js";
import { findFiles } from "../../../src/builtin/tools/find-files.js";
import { getLineCount } from "../../../src/builtin/tools/get-line-count.js";
import { hotfiles } from "../../../src/builtin/tools/hotfiles.js";
import { listFolder } from "../../../src/builtin/tools/list-folder.js";
import { readAround } from "../../../src/builtin/tools/read-around.js";
import { readFile } from "../../../src/builtin/tools/read-file.js";
import { searchText } from "../../../src/builtin/tools/search-text.js";
import { todoWrite } from "../../../src/builtin/tools/todo-write.js";
import { webFetch } from "../../../src/builtin/tools/web-fetch.js";
import { webSearch } from "../../../src/builtin/tools/web-search.js";
import type { JsonObject, Tool } from "../../../src/plugin/index.js";

const range = { start: 1, end: 2 };
const todo = { content: "a", status: "pending" };

/** The limits of inputs: everything at its limit, and what is beyond. */
const cases: readonly {
    readonly tool: Tool;
    readonly full: JsonObject;
    readonly refused: readonly JsonObject[];
}[] = [
    { tool: hotfiles, full: { limit: 50 }, refused: [{ limit: 51 }, { limit: 0 }] },
    { tool: listFolder, full: { path: "src", ignore: ["*.ts"] }, refused: [{}] },
    {
        tool: findFiles,
        full: { pattern: "*", limit: 500 },
        refused: [{}, { pattern: "" }, { pattern: "*", limit: 501 }, { pattern: "*", limit: 1.5 }],
    },
    {
        tool: searchText,
        full: { query: "a", file: "b", lineRange: range, regex: true, contextLines: 5, limit: 200 },
        refused: [
            { query: "" },
            { query: "a", limit: 201 },
            { query: "a", contextLines: 6 },
            { query: "a", lineRange: { start: 0, end: 1 } },
            { query: "a", lineRange: { start: 1 } },
        ],
    },
    {
        tool: readFile,
        full: {
            path: "a",
            range,
            includeHeadTail: true,
            includeContext: "full",
            aroundMatch: "b",
            windowLines: 20,
        },
        refused: [{}, { path: "a", includeContext: "all" }, { path: "a", range: [1, 2] }],
    },
    {
        tool: readAround,
        full: { path: "a", anchor: "b", before: 0, after: 200, occurrence: 1 },
        refused: [
            { path: "a" },
            { path: "a", anchor: "" },
            { path: "a", anchor: "b", occurrence: 0 },
        ],
    },
    { tool: getLineCount, full: { path: "a" }, refused: [{}, { path: 1 }] },
    { tool: expandOutput, full: { outputId: "a", range }, refused: [{}, { outputId: "" }] },
    {
        tool: todoWrite,
        full: { todos: [todo] },
        refused: [{}, { todos: [{ ...todo, status: "done" }] }, { todos: [{ ...todo, id: 1 }] }],
    },
    { tool: webFetch, full: { url: "https://example.org" }, refused: [{}, { url: "" }] },
    { tool: webSearch, full: { query: "a".repeat(1_000) }, refused: [{}, { query: "" }] },
];

describe("Inputs of the reading tools", () => {
    for (const { tool, full, refused } of cases) {
        it(`The input of ${tool.name} is accepted up to its limits`, () => {
            const isValid = (input: JsonObject) => problemsIn(tool.inputSchema, input).length === 0;

            expect(isValid(full), JSON.stringify(full)).to.equal(true);
            for (const input of refused) {
                expect(isValid(input), JSON.stringify(input)).to.equal(false);
            }
        });
    }

    it("The reading tools keep to their share of the prompt", () => {
        const reading = (builtin.tools ?? []).filter(
            ({ readOnly, searchesWeb }) => readOnly && !searchesWeb
        );
        const schemas = reading.map(({ name, description, inputSchema }) =>
            JSON.stringify({ name, description, inputSchema })
        );

        expect(schemas.join("").length / 4).to.be.below(
            1950,
            "tokens of all reading tools: shorten a description, or raise this on purpose"
        );
    });
});
