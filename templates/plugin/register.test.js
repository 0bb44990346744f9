import assert from "node:assert/strict";
import { test } from "node:test";
import {
    checkSlashCommand,
    checkTool,
    runSlashCommand,
    runTool,
    toolContext,
} from "north-cli/plugin-testing";
import register from "./register.js";

const { tools, slashCommands } = await register();
const tool = tools.find(({ name }) => name === "sample");
const command = slashCommands.find(({ name }) => name === "sample");

test("The tool keeps the contract", async () => {
    await checkTool(tool, { accepted: [{ path: "README.md" }], refused: [{}, { path: 1 }] });
});

test("The tool counts the words of a file", async () => {
    const bytes = new TextEncoder().encode("two words\n");
    const workspace = { read: async (path) => ({ path, bytes, hash: "", mode: 0o644 }) };
    const result = await runTool(tool, { path: "README.md" }, toolContext({ workspace }));
    assert.deepEqual(result, { ok: true, data: { path: "README.md", words: 2 } });
});

test("The slash command keeps the contract", async () => {
    await checkSlashCommand(command);
});

test("The slash command counts the words of its argument", async () => {
    const { printed } = await runSlashCommand(command, "one two three");
    assert.deepEqual(printed, ["3 words"]);
});
