import { expect } from "chai";
import type { JsonObject, PlainTool, WriteTool } from "../../../../src/plugin/index.js";
import { calls, says, ScriptedModel } from "../../../helpers/scripted-model.js";
import { drain, turnHarness } from "../../../helpers/turn.js";

interface Result {
    readonly ok: boolean;
    readonly data?: unknown;
    readonly notes?: readonly string[];
    readonly error?: { readonly code: string; readonly message: string };
}

/** A tool that answers with its own name and what it was given. */
function reader(name: string, properties: object, required: readonly string[] = []): PlainTool {
    return {
        name,
        description: "Reads.",
        inputSchema: { type: "object", properties, required, additionalProperties: false },
        readOnly: true,
        approval: "none",
        intent: () => "Reading",
        execute: async (input) => ({ ok: true, data: { name, input } }),
    };
}

const path = { type: "string" };
const limit = { type: "integer", maximum: 50 };
const readFile = reader("read_file", { path, limit }, ["path"]);
const readAround = reader("read_around", { path, anchor: path }, ["path", "anchor"]);
const readReadme = reader("read_readme", {});

async function answered(tools: readonly (PlainTool | WriteTool)[], name: string, input: object) {
    const model = new ScriptedModel([calls(["1", name, input]), says("ok")]);
    const { turn, records } = turnHarness(model, tools);
    await drain(turn);
    const entry = records
        .flatMap((record) => (record.type === "entry_added" ? record.entry : []))
        .find(({ kind }) => kind === "tool_result");
    const content = entry?.kind === "tool_result" ? entry.content : "";
    return { result: JSON.parse(content) as Result, records, model };
}

describe("planCall", () => {
    it("A tool gets its coerced input, and the result mentions a clamped limit", async () => {
        const { result } = await answered([readFile], "read_file", {
            path: "a",
            limit: "900",
            description: "Looks at a",
        });
        expect(result).to.deep.equal({
            ok: true,
            data: { name: "read_file", input: { path: "a", limit: 50 } },
            notes: ["limit is at most 50: used 50 instead of 900."],
        });
    });

    for (const name of ["functions.read_file", "read_file<|channel|>commentary"]) {
        it(`A name in gpt-oss's own format names its tool: ${name}`, async () => {
            const { result } = await answered([readFile, readAround], name, { path: "a" });
            expect(result.data).to.deep.include({ name: "read_file" });
        });
    }

    it("An input that is not JSON is shown to the model with its beginning and end", async () => {
        const malformedInput = `{"path": "${"a/".repeat(100)}main.go{}`;
        const call = { type: "tool-call", callId: "1", name: "read_file", input: {} } as const;
        const model = new ScriptedModel([
            [
                { ...call, malformedInput },
                { type: "stop", reason: "tool-calls" },
            ],
            says("ok"),
        ]);
        await drain(turnHarness(model, [readFile]).turn);
        const said = JSON.stringify(model.requests[1]?.messages.at(-1));
        expect(said).to.include("a/ [… 99 characters …] ").and.include("main.go{}`");
        expect(said.length).to.be.lessThan(700);
    });

    it("A tool name in another case matches, unless two tools differ only in case", async () => {
        const { result } = await answered([readFile], "Read_File", { path: "a" });
        expect(result.data).to.deep.include({ name: "read_file" });
        const twins = [reader("Look", {}), reader("LOOK", {})];
        expect((await answered(twins, "look", {})).result.error?.code).to.equal("unknown-tool");
        expect((await answered(twins, "LOOK", {})).result.data).to.deep.include({ name: "LOOK" });
    });

    it("One word of a read-only tool's name matches that tool if the input fits no other", async () => {
        const tools = [readFile, readAround, readReadme];
        const { result } = await answered(tools, "read", { path: "a" });
        expect(result.data).to.deep.include({ name: "read_file" });
        for (const input of [{ file_path: "a" }, { path: "a", offset: 1 }]) {
            const { error } = (await answered(tools, "read", input)).result;
            expect(error?.code).to.equal("unknown-tool");
        }
        const two = [readFile, reader("read_page", { path })];
        expect((await answered(two, "read", { path: "a" })).result.error?.code).to.equal(
            "unknown-tool"
        );
    });

    it("One word of a name never matches a tool that changes something", async () => {
        const write: WriteTool = {
            ...readFile,
            name: "write_file",
            readOnly: false,
            approval: "write",
            propose: async () => ({ ok: true, changeSet: { changes: [] } }),
        };
        const { result } = await answered([write], "write", { path: "a" });
        expect(result.error?.code).to.equal("unknown-tool");
    });

    it("A tool may accept more than the usual 50 KB of input, up to its own limit", async () => {
        const roomy = { ...readFile, maxInputBytes: 1024 * 1024 };
        const large = { path: "x".repeat(60_000) };
        expect((await answered([roomy], "read_file", large)).result.ok).to.equal(true);
        const refused = await answered([readFile], "read_file", large);
        expect(refused.result.error?.code).to.equal("input-too-large");
        const tooLarge = { path: "x".repeat(1_100_000) };
        expect((await answered([roomy], "read_file", tooLarge)).result.ok).to.equal(false);
    });

    it("Input refused for its size is neither stored nor sent again", async () => {
        const { records, model } = await answered([readFile], "read_file", {
            path: "x".repeat(5_000_000),
        });
        expect(JSON.stringify(records)).to.have.lengthOf.below(5_000);
        const kept = JSON.stringify(model.requests.at(-1)?.messages);
        expect(kept).to.contain("51200").and.have.lengthOf.below(2_000);
    });

    it("Deceptive names and characters reach the tool unchanged or are refused", async () => {
        const named: object = JSON.parse('{"path": "a", "__proto__": {"limit": 7}}');
        const refused = (await answered([readFile], "read_file", named)).result;
        expect(refused.error?.code).to.equal("invalid-input");
        expect(({} as { limit?: number }).limit).to.equal(undefined);
        const odd = { path: "a\u0000b\ud800c" };
        const { result } = await answered([readFile], "read_file", odd);
        expect(result.data).to.deep.equal({ name: "read_file", input: odd });
    });

    it("An input of 20,000 nested lists is refused, and the turn continues", async () => {
        const depth = 20_000;
        const input: JsonObject = JSON.parse(`{"path":${"[".repeat(depth)}${"]".repeat(depth)}}`);
        const model = new ScriptedModel([
            [
                { type: "tool-call", callId: "1", name: "read_file", input },
                { type: "stop", reason: "tool-calls" },
            ],
            says("ok"),
        ]);
        const { turn } = turnHarness(model, [readFile]);
        const { outcome } = await drain(turn);
        expect(outcome).to.deep.include({ stopReason: "end", text: "ok" });
        const content = JSON.stringify(model.requests.at(-1)?.messages);
        expect(content).to.contain("100 levels").and.have.lengthOf.below(2_000);
    });
});
