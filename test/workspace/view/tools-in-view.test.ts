import { expect } from "chai";
import fc from "fast-check";
import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import { builtin } from "../../../src/builtin/index.js";
import { attachFiles } from "../../../src/host/context/attach-files.js";
import type { JsonObject, Tool } from "../../../src/plugin/index.js";
import { openWorkspace } from "../../../src/workspace/open-workspace.js";
import { filesOnDisk } from "../../../src/workspace/tree/file-tree.js";
import { viewTree } from "../../../src/workspace/tree/view-tree.js";
import type { SharedWorkspace } from "../../../src/workspace/shared-workspace.js";
import { patient } from "../../helpers/patience.js";
import { changesBetween, snapshot, type Step, steps, take } from "../../helpers/random-changes.js";
import { makeToolContext } from "../../helpers/tool-context.js";
import { git, makeFolder, makeRepository, PROPERTY_RUNS } from "../make-folder.js";

const CODE =
    "export class Needle {\n    find(): string {\n        return 'needle';\n    }\n}\n\nexport function needle() {\n    return 1;\n}\n";

const START = {
    ".gitignore": "*.log\nignored/\n",
    "README.md": "# Needle\n\n## Use\n\nRead the needle.\n",
    "a.ts": CODE,
    "src/a.ts": "needle in src\n",
    "src/b.txt": "first\r\nneedle\r\n",
    "src/docs/a.ts": CODE,
    "docs/größe.md": "# needle groß\r\n\r\n## Mehr\r\n",
    "dist/a.ts": "needle built\n",
    "x.log": "needle logged\n",
    ".env": "KEY=needle\n",
    "ignored/b.txt": "needle ignored\n",
};

/** What is asked of each tool that reads the project, of a path and of all of it. */
const INPUTS: Readonly<Record<string, (path: string) => readonly object[]>> = {
    detect_languages: () => [{}],
    find_blocks: (path) => [{ path }],
    find_code_block: (path) => [{ path, query: "return" }],
    find_files: () => [{ pattern: "*.ts" }, { pattern: "src/**" }, { pattern: "**/*.md" }],
    get_file_outline: (path) => [{ path }],
    get_file_symbols: (path) => [{ path }],
    get_line_count: (path) => [{ path }],
    hotfiles: () => [{}],
    list_folder: (path) => [{ path }, { path, ignore: ["*.ts"] }],
    list_root: () => [{}],
    read_around: (path) => [{ path, anchor: "needle", before: 1, after: 1, occurrence: 1 }],
    read_file: (path) => [
        { path },
        { path, range: { start: 2, end: 3 } },
        { path, aroundMatch: "needle", windowLines: 1 },
    ],
    read_readme: () => [{}],
    search_text: (path) => [
        { query: "needle" },
        { query: "ne+dle\\b", regex: true, contextLines: 1 },
        { query: "needle", path },
        { query: "needle", file: path },
    ],
};

/** Tools that read something else than the project. */
const ELSEWHERE = [
    ...["ask_user", "delegate", "expand_output", "explore", "job_output", "job_stop", "recall"],
    ...["todo_write", "web_fetch", "web_search"],
];

function toolsThatRead(): readonly Extract<Tool, { execute: unknown }>[] {
    return (builtin.tools ?? []).flatMap((tool) =>
        "execute" in tool && tool.name in INPUTS ? [tool] : []
    );
}

/** The calls of all tools, each once: some make no difference between paths. */
function callsOn(paths: readonly string[]) {
    const some = paths.filter((_, index) => index % 4 === 0);
    const calls = toolsThatRead().flatMap((tool) => {
        const named = tool.name === "search_text" ? some : paths;
        const inputs = named.flatMap((path) => INPUTS[tool.name]?.(path) ?? []);
        return inputs.map((input) => ({ tool, input }));
    });
    const named = calls.map((call) => [`${call.tool.name} ${JSON.stringify(call.input)}`, call]);
    return new Map(named as [string, (typeof calls)[number]][]);
}

function cleaned(workspace: SharedWorkspace, answer: unknown): string {
    const text = JSON.stringify(answer, (key, value: unknown) =>
        key === "modifiedAt" ? undefined : value
    );
    const { root } = workspace;
    return (text ?? "nothing").replaceAll(root, "ROOT").replaceAll(path.basename(root), "NAME");
}

/** What the user is asked, what the tool answers, and what it saw. */
async function answer(workspace: SharedWorkspace, tool: Tool, input: object): Promise<string> {
    if (!("execute" in tool)) throw new Error(`${tool.name} proposes.`);
    const asked: string[] = [];
    const reader = workspace.readBy({
        permitSecret: async (file, reason) => {
            asked.push(`${reason} ${file}`);
            return file.length % 2 === 0;
        },
    });
    const context = await makeToolContext({ workspace: reader });
    const result = await tool.execute(input as JsonObject, context).catch(String);
    return cleaned(workspace, { asked, result, seen: context.observations });
}

/** What a message sends of a mentioned path, and what the user is asked and told. */
async function mentioned(
    { workspace, files }: Parameters<typeof attachFiles>[1],
    name: string
): Promise<string> {
    const asked: string[] = [];
    const request = {
        mentions: [{ candidates: [name] }],
        ...{ files: [], images: true, signal: new AbortController().signal },
        permit: async (sentence: string) => {
            asked.push(sentence);
            return sentence.length % 2 === 0;
        },
    };
    return cleaned(workspace, { asked, ...(await attachFiles(request, { workspace, files })) });
}

/** Files of code get code. */
function withCode(step: Step): Step {
    const isCode = step.kind === "write" && step.path.endsWith(".ts") && step.mode === 0o644;
    return isCode ? { ...step, content: Buffer.from(CODE) } : step;
}

describe("Reading a draft", () => {
    it("Each tool that reads has inputs in this test", () => {
        const reading = (builtin.tools ?? []).filter(({ approval }) => approval === "none");
        const named = reading.map(({ name }) => name).filter((name) => !ELSEWHERE.includes(name));
        expect(named.sort()).to.deep.equal(Object.keys(INPUTS).sort());
    });

    for (const useRipgrep of [true, false]) {
        const how = useRipgrep ? "with" : "without";
        it(`All tools and mentions answer in a view what they answer in a copy with its changes, ${how} ripgrep`, async function () {
            this.timeout(patient(240_000));
            await fc.assert(
                fc.asyncProperty(steps(8), async (taken) => {
                    const root = makeRepository(START);
                    git(root, "add", "--force", "a.ts", "x.log", "docs");
                    git(root, "commit", "--quiet", "--message=start");
                    const copy = path.join(makeFolder(), path.basename(root));
                    cpSync(root, copy, { recursive: true, verbatimSymlinks: true });
                    take(copy, taken.map(withCode));
                    const { changes, contents } = changesBetween(root, copy);
                    const source = { view: () => changes, contents };
                    const inView = openWorkspace({ root, useRipgrep }).inView(source);
                    const real = openWorkspace({ root: copy, useRipgrep });
                    const tree = await viewTree(root, { files: changes, contents });
                    const [drafted, copied] = [
                        { workspace: inView, files: tree },
                        { workspace: real, files: filesOnDisk },
                    ];
                    const paths = [
                        ...new Set([...snapshot(root).keys(), ...snapshot(copy).keys()]),
                    ];
                    for (const [call, { tool, input }] of callsOn(paths)) {
                        if (!useRipgrep && tool.name !== "search_text") continue;
                        expect(await answer(inView, tool, input), call).to.equal(
                            await answer(real, tool, input)
                        );
                    }
                    for (const name of useRipgrep ? [...paths, ...paths.map(below)] : []) {
                        expect(await mentioned(drafted, name), `@${name}`).to.equal(
                            await mentioned(copied, name)
                        );
                    }
                    for (const folder of [root, path.dirname(copy)]) {
                        rmSync(folder, { recursive: true });
                    }
                }),
                {
                    numRuns: Math.ceil(PROPERTY_RUNS / (useRipgrep ? 10 : 30)),
                    examples: [[[{ kind: "mkdir" as const, path: "a.ts/a.ts" }]]],
                }
            );
        });
    }
});

/** A name that only a link to a folder makes a file. */
function below(name: string): string {
    return `${name}/a.ts`;
}
