import { expect } from "chai";
import { builtin } from "../../../src/builtin/index.js";
import { TurnOutputs, type ResultFormat } from "../../../src/core/agent/calls/outputs.js";
import type { JsonObject } from "../../../src/plugin/index.js";
import { dataOf, makeToolContext } from "../../helpers/tool-context.js";

const files = {
    "src/a.ts": "one\nfoo two\nthree\nfoo four\nfive\n",
    "src/b.ts": "  foo(bar)\n",
    "long.ts": `${"let a = 1;\n".repeat(400)}function last() {\n${"// \n".repeat(50)}}\n`,
};

function toolNamed(name: string) {
    const tool = builtin.tools?.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`There is no tool ${name}.`);
    return tool;
}

/** What the model reads of data as a tool would give it. */
function told(name: string, data: unknown, input: JsonObject = {}, format?: ResultFormat) {
    const call = { type: "tool-call", callId: "1", name, input } as const;
    return new TurnOutputs(format).contentFor(call, { ok: true, data }, toolNamed(name));
}

/** What the model reads of a call. */
async function toldOf(name: string, input: JsonObject): Promise<string | undefined> {
    const tool = toolNamed(name);
    if (!("execute" in tool)) throw new Error(`${name} proposes.`);
    const data = dataOf(await tool.execute(input, await makeToolContext({ files })));
    return told(name, data, input).text;
}

describe("Results as the model reads them", () => {
    it("A file is a line of facts and its own text", async () => {
        expect(await toldOf("read_file", { path: "src/a.ts" })).to.equal(
            "src/a.ts (5 lines)\none\nfoo two\nthree\nfoo four\nfive"
        );
        const range = { start: 2, end: 3 };
        expect(await toldOf("read_file", { path: "src/a.ts", range })).to.equal(
            "src/a.ts lines 2-3 of 5\nfoo two\nthree"
        );
        const aroundMatch = { path: "src/a.ts", aroundMatch: "foo", windowLines: 0 };
        expect(await toldOf("read_file", { ...aroundMatch, includeHeadTail: true })).to.equal(
            "src/a.ts lines 2-2 of 5, first of 2 matches at 2\n[lines 1-1]\none\n[lines 2-2]\nfoo two\n[lines 3-5]\nthree\nfoo four\nfive"
        );
    });

    it("A file's digest names the omitted lines and where to read them", async () => {
        const text = await toldOf("read_file", { path: "long.ts" });
        expect(text).to.match(/^long\.ts lines 1-200 of 452\nlet a = 1;\n/);
        expect(text).to.contain("\n[left out below]\nfunction last 401-452\n[lines 433-452]\n");
        expect(text).to.match(
            /\n\[Lines 201-432 of 452 left out; ask for a range\. expand_output output-1 returns it in full\.\]$/
        );
    });

    it("Matches are grouped by file, without columns, and context appears once", async () => {
        expect(await toldOf("search_text", { query: "foo" })).to.equal(
            "src/a.ts\n2: foo two\n4: foo four\nsrc/b.ts\n1:   foo(bar)"
        );
        expect(
            await toldOf("search_text", { query: "foo", contextLines: 2, path: "src" })
        ).to.equal(
            "src/a.ts\n1- one\n2: foo two\n3- three\n4: foo four\n5- five\nsrc/b.ts\n1:   foo(bar)"
        );
        expect(await toldOf("search_text", { query: "foo", limit: 1 })).to.equal(
            "src/a.ts\n2: foo two\n[1 of 3 matches]"
        );
        expect(await toldOf("search_text", { query: "absent" })).to.equal("No matches.");
    });

    it("Found files are listed one per line", async () => {
        expect(await toldOf("find_files", { pattern: "src/*.ts" })).to.equal("src/a.ts\nsrc/b.ts");
        expect(await toldOf("find_files", { pattern: "*.ts", limit: 1 })).to.equal(
            "long.ts\n[1 of 3 files]"
        );
    });

    it("A command's result is its output below the relevant facts", () => {
        const ran = { stdout: "", stderr: "", exitCode: 0, durationMs: 7, truncated: false };
        const run = (data: object) => told("shell_run", { ...ran, ...data }).text;
        expect(run({})).to.equal("[exit 0]");
        expect(run({ stdout: "a\nb\n" })).to.equal("a\nb");
        expect(run({ stdout: "a", stderr: "b\n", exitCode: 2, cwd: "x" })).to.equal(
            "[exit 2; cwd x]\na\n[stderr]\nb"
        );
        expect(run({ stderr: "late\n", timedOut: true, exitCode: 124 })).to.equal(
            "[exit 124; ended by the time limit]\n[stderr]\nlate"
        );
        expect(run({ stdout: "ok\n", contained: true })).to.equal("ok");
        const effects = { applied: "all", files: [{ path: "a", linesAdded: 2, linesRemoved: 0 }] };
        expect(run({ stdout: "ok\n", contained: true, effects, notes: ["Mind."] })).to.equal(
            "[contained; Mind.]\nApplied: a +2 -0\nok"
        );
        const denied = { applied: "none", code: "denied", message: "The user said no: not yet." };
        expect(run({ contained: true, effects: denied })).to.equal(
            "[exit 0; contained; The user said no: not yet.]"
        );
        const reasoned = { ...denied, message: "Rejected.", hint: "Reason: not yet" };
        const notes = ["It would have changed a.ts.", "Mind."];
        expect(run({ contained: true, effects: reasoned, notes, cwd: ".." })).to.equal(
            "[exit 0; contained; cwd ..; Rejected. Reason: not yet. It would have changed a.ts. Mind.]"
        );
    });

    it("An edit is one line, unless the user rejected part of it", () => {
        const written = [{ path: "a.ts", linesAdded: 3, linesRemoved: 1 }];
        const all = { applied: "all", files: written };
        for (const name of ["edit_replace_exact", "edit_apply_batch"]) {
            expect(told(name, all).text).to.equal("Applied: a.ts +3 -1");
        }
        const some = { applied: "some", files: written, hunks: ["a.ts: @@ -1 +1,3 @@"] };
        expect(told("edit_create_file", some).text).to.equal(
            "Applied in part, only the hunks below: a.ts +3 -1\na.ts: @@ -1 +1,3 @@"
        );
    });

    it("The structured result accompanies the text, and replaces it where JSON is wanted", () => {
        const data = { files: ["a"], truncated: false };
        const content = JSON.stringify({ ok: true, data });
        expect(told("find_files", data)).to.deep.equal({ content, text: "a" });
        expect(told("find_files", data, {}, "json")).to.deep.equal({ content });
        const entries = { entries: [] };
        expect(told("list_root", entries)).to.deep.equal({
            content: JSON.stringify({ ok: true, data: entries }),
        });
    });

    it("An error stays structured", () => {
        const error = { code: "not-found", message: "There is no a." };
        const call = { type: "tool-call", callId: "1", name: "read_file", input: {} } as const;
        const result = new TurnOutputs().contentFor(
            call,
            { ok: false, error },
            toolNamed("read_file")
        );
        expect(result).to.deep.equal({ content: JSON.stringify({ ok: false, error }) });
    });
});
