import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { builtin } from "../src/builtin/index.js";
import { TurnOutputs, type ResultFormat } from "../src/core/agent/calls/outputs.js";
import type { JsonObject } from "../src/plugin/index.js";
import { openWorkspace } from "../src/workspace/open-workspace.js";
import { root, type BenchRow } from "./measure.js";
import { tokensIn } from "./tokens.js";

const FILES = 12;
const SEARCHES: readonly JsonObject[] = [
    { query: "readonly", path: "src/core", limit: 50 },
    { query: "readonly", path: "src/core", limit: 20, contextLines: 2 },
];

/** The cost of results to a model, as text and as JSON, relative to the plain text. */
export async function resultRows(): Promise<BenchRow[]> {
    const reads = await Promise.all(
        sourceFiles().map(async (file) => ({
            raw: readFileSync(path.join(root, file), "utf8"),
            data: await dataOf("read_file", { path: file }),
        }))
    );
    const rows = [
        costRow(
            `read_file, ${FILES} files of up to 200 lines`,
            "read_file",
            reads.map(({ data }) => data),
            reads.map(({ raw }) => raw).join(""),
            1.03
        ),
    ];
    for (const input of SEARCHES) {
        const data = await dataOf("search_text", input);
        const what = `search_text, ${String(input.limit)} matches${input.contextLines ? " with context" : ""}`;
        rows.push(costRow(what, "search_text", [data], ripgrepLines(data), 1));
    }
    for (const [what, stdout, bound] of [
        ["git diff", someDiff(), 1.03],
        ["true", "", 2],
    ] as const) {
        const data = { stdout, stderr: "", exitCode: 0, durationMs: 12, truncated: false };
        const raw = stdout === "" ? "exit 0" : stdout;
        rows.push(costRow(`shell_run, ${what}`, "shell_run", [data], raw, bound));
    }
    return rows;
}

function costRow(
    what: string,
    name: string,
    results: readonly unknown[],
    raw: string,
    bound: number
): BenchRow {
    const cost = (format: ResultFormat) =>
        results.reduce<number>((sum, data) => sum + tokensIn(told(name, data, format)), 0);
    const [text, json, floor] = [cost("text"), cost("json"), tokensIn(raw)];
    return {
        what,
        value: `${text} tokens (JSON ${json})`,
        bound: `${bound} x of ${floor}`,
        ok: text <= bound * floor,
    };
}

function told(name: string, data: unknown, format: ResultFormat): string {
    const call = { type: "tool-call", callId: "1", name, input: { limit: 50 } } as const;
    const { text, content } = new TurnOutputs(format).contentFor(
        call,
        { ok: true, data },
        tool(name)
    );
    return text ?? content;
}

function tool(name: string) {
    return builtin.tools?.find((each) => each.name === name);
}

async function dataOf(name: string, input: JsonObject): Promise<unknown> {
    const found = tool(name);
    if (found?.approval !== "none") throw new Error(`${name} does not run without asking.`);
    const workspace = openWorkspace({ root });
    const result = await Reflect.apply(found.execute, found, [
        input,
        { workspace, signal: new AbortController().signal, observe: () => {} },
    ]);
    if (!result.ok) throw new Error(result.error.message);
    return result.data;
}

function sourceFiles(): readonly string[] {
    return readdirSync(path.join(root, "src", "core"), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .map((file) => path.join("src", "core", file))
        .filter((file) => readFileSync(path.join(root, file), "utf8").split("\n").length <= 200)
        .sort()
        .filter((_, index) => index % 5 === 0)
        .slice(0, FILES);
}

/** The first lines of the last commit, short enough not to be digested. */
function someDiff(): string {
    const diff = execFileSync("git", ["show", "--format=", "HEAD"], { cwd: root }).toString();
    return diff.split("\n", 120).join("\n");
}

/** The same lines as printed by `rg --line-number`. */
function ripgrepLines(data: unknown): string {
    const { matches } = data as Awaited<
        ReturnType<Awaited<ReturnType<typeof openWorkspace>>["search"]>
    >;
    return matches
        .flatMap(({ path: file, line, preview, context }) => [
            ...(context?.before ?? []).map((text, index) => `${file}-${line - 2 + index}-${text}`),
            `${file}:${line}:${preview}`,
            ...(context?.after ?? []).map((text, index) => `${file}-${line + 1 + index}-${text}`),
        ])
        .join("\n");
}
