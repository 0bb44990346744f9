import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { checkInput } from "../../src/base/check-input.js";
import type {
    JsonValue,
    OutputCache,
    Question,
    Shell,
    ToolContext,
    ToolFailure,
    ToolResult,
    Workspace,
} from "../../src/plugin/index.js";
import { openWorkspace } from "../../src/workspace/open-workspace.js";

/** Options for the context of the tool under test. */
export interface TestContextOptions {
    /** Files of the repository, by path relative to its root. */
    readonly files?: Readonly<Record<string, string | Uint8Array>>;
    /** The answer to every permission question; no if absent. */
    readonly permit?: boolean | ((question: Question) => boolean);
    readonly signal?: AbortSignal;
    readonly shell?: Shell;
    /** Replaces the real workspace. */
    readonly workspace?: Workspace;
}

/** A context over a real folder that records what the tool reports. */
export interface TestToolContext extends ToolContext {
    readonly root: string;
    /** Observed files, in order. */
    readonly observations: readonly { readonly path: string; readonly hash: string }[];
    /** Questions asked, in order. */
    readonly questions: readonly Question[];
    /** Progress texts shown. */
    readonly progressTexts: readonly string[];
    /** Stores an output for `expand_output`. */
    keep(outputId: string, toolName: string, content: JsonValue): void;
    /** Writes a file into the repository, creating its parent folders. */
    write(file: string, content: string | Uint8Array): Promise<void>;
}

/** A fresh repository folder, deleted when the test process exits (see bootstrap.ts). */
export async function makeRepositoryFolder(
    files: Readonly<Record<string, string | Uint8Array>> = {}
): Promise<string> {
    const parent = process.env.HOME ?? os.tmpdir();
    const root = await realpath(await mkdtemp(path.join(parent, "repository-")));
    for (const [name, content] of Object.entries(files)) await writeInto(root, name, content);
    return root;
}

/** A `ToolContext` over a fresh repository folder. */
export async function makeToolContext(options: TestContextOptions = {}): Promise<TestToolContext> {
    const root = await makeRepositoryFolder(options.files);
    const seen = new Map<string, string>();
    const outputs = new Map<string, { toolName: string; content: JsonValue }>();
    const observations: { path: string; hash: string }[] = [];
    const questions: Question[] = [];
    const progressTexts: string[] = [];
    const cache: OutputCache = { get: (outputId) => outputs.get(outputId) };

    async function permit(question: Question): Promise<boolean> {
        questions.push(question);
        return typeof options.permit === "function"
            ? options.permit(question)
            : (options.permit ?? false);
    }

    /** As the host does: one `permit` for all questions. */
    const permitSecret = (file: string) =>
        permit({ sentence: `Read ${file}?`, key: `secret:${file}` });

    return {
        root,
        observations,
        questions,
        progressTexts,
        workspace: options.workspace ?? openWorkspace({ root, permitSecret }),
        shell: options.shell ?? noShell(root),
        signal: options.signal ?? new AbortController().signal,
        cache,
        observe(file, hash) {
            observations.push({ path: file, hash });
            seen.set(file, hash);
        },
        observed: (file) => seen.get(file),
        permit,
        checkInput,
        note: () => {},
        progress: (text) => void progressTexts.push(text),
        keep: (outputId, toolName, content) => void outputs.set(outputId, { toolName, content }),
        write: (file, content) => writeInto(root, file, content),
    };
}

/** The data of a result that must be a success. */
export function dataOf<Data>(result: ToolResult<Data>): Data {
    if (!result.ok) throw new Error(`The tool failed: ${JSON.stringify(result.error)}`);
    return result.data;
}

/** The error of a result that must be a failure. */
export function errorOf(result: ToolResult): ToolFailure["error"] {
    if (result.ok) throw new Error(`The tool succeeded: ${JSON.stringify(result.data)}`);
    return result.error;
}

async function writeInto(root: string, file: string, content: string | Uint8Array): Promise<void> {
    const target = path.join(root, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, content);
}

function noShell(root: string): Shell {
    return {
        cwd: root,
        resolve: (cwd = ".") => Promise.resolve(path.resolve(root, cwd)),
        run: () => Promise.reject(new Error("This test gave its context no shell.")),
    };
}
