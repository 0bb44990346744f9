import { expect } from "chai";
import { builtin } from "../../src/builtin/index.js";
import { checkTool, type ToolSamples } from "../../src/plugin-testing/index.js";

const file = "src/app.ts";
const anchored = { path: file, anchor: "import", content: "text\n" };

/** What a model may send to each of North's own tools, and what it must not. */
const SAMPLES: Readonly<Record<string, ToolSamples>> = {
    list_root: { accepted: [{}] },
    list_folder: { accepted: [{ path: "src" }], refused: [{}] },
    find_files: { accepted: [{ pattern: "*.ts" }], refused: [{}] },
    search_text: { accepted: [{ query: "a\nb" }], refused: [{ query: "" }] },
    read_file: {
        accepted: [{ path: file }, { path: "a b", range: { start: 1, end: 9 } }],
        refused: [{}],
    },
    read_around: { accepted: [{ path: file, anchor: "two\nlines" }], refused: [{ path: file }] },
    get_line_count: { accepted: [{ path: file }], refused: [{}] },
    read_readme: { accepted: [{}] },
    get_file_symbols: { accepted: [{ path: file }], refused: [{}] },
    get_file_outline: { accepted: [{ path: file }], refused: [{}] },
    find_blocks: { accepted: [{ path: file }], refused: [{}] },
    find_code_block: { accepted: [{ path: file, query: "main" }], refused: [{ path: file }] },
    detect_languages: { accepted: [{}] },
    hotfiles: { accepted: [{ limit: 5 }], refused: [{ limit: 0 }] },
    expand_output: { accepted: [{ outputId: "1" }], refused: [{}] },
    edit_replace_exact: {
        accepted: [{ path: file, old: "a\nb", new: "c" }],
        refused: [{ path: file, old: "a" }],
    },
    edit_insert_at_line: {
        accepted: [{ path: file, line: 1, content: "a\n" }],
        refused: [{ path: file, line: "1", content: "a" }],
    },
    edit_after_anchor: { accepted: [anchored], refused: [{ path: file }] },
    edit_before_anchor: { accepted: [anchored], refused: [{ path: file }] },
    edit_replace_block: {
        accepted: [{ path: file, blockStart: "{", blockEnd: "}", content: "a" }],
        refused: [{ path: file, blockStart: "{", content: "a" }],
    },
    edit_by_anchor: {
        accepted: [{ ...anchored, mode: "insert_after" }],
        refused: [{ ...anchored, mode: "sideways" }],
    },
    edit_create_file: { accepted: [{ path: file, content: "" }], refused: [{ path: file }] },
    edit_apply_batch: {
        accepted: [
            {
                edits: [{ toolName: "edit_create_file", args: { path: file, content: "" } }],
            },
        ],
        refused: [{ edits: [] }, {}],
    },
    shell_run: {
        accepted: [{ command: "npm test" }, { command: "echo 1\necho 2", cwd: "src" }],
        refused: [{}, { command: 1 }],
    },
    todo_write: {
        accepted: [{ todos: [{ content: "a", status: "pending" }] }],
        refused: [{ todos: [{ content: "a", status: "sometime" }] }],
    },
    web_fetch: { accepted: [{ url: "https://example.org/a" }], refused: [{}] },
};

describe("North's own tools", () => {
    for (const tool of builtin.tools ?? []) {
        it(`${tool.name} keeps to the contract of tools`, async () => {
            const samples = SAMPLES[tool.name];
            expect(samples, "samples in this file").not.to.equal(undefined);
            await checkTool(tool, samples ?? { accepted: [] });
        });
    }
});
