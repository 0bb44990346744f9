import type { ChangeSet } from "./change-set.js";
import type { StartContained } from "./contained-process.js";
import type { Jobs } from "./jobs.js";
import type { JsonObject, JsonSchema, JsonValue } from "./json.js";
import type { NestedAgent } from "./nested-run.js";
import type { Shell } from "./shell.js";
import type { ToolFailure, ToolResult, WriteData } from "./tool-result.js";
import type { AskUser } from "./user-question.js";
import type { Recall } from "./recall.js";
import type { Workspace } from "./workspace.js";

/** Input that fits its schema, or what is wrong with it. */
export type CheckedInput =
    | {
          readonly ok: true;
          /** Unchanged if it fits the schema, else coerced. */
          readonly input: JsonObject;
          /** One sentence per coercion. */
          readonly notes: readonly string[];
      }
    | ToolFailure;

/** A shortened result; `expand_output` returns the full one for the rest of the turn. */
export interface Digest {
    readonly data: JsonValue;
    /** What was omitted, in a few words. */
    readonly note: string;
}

/** Full results of the current turn that the model received as digests. */
export interface OutputCache {
    /** `undefined` if there is no such output. */
    get(outputId: string): { readonly toolName: string; readonly content: JsonValue } | undefined;
}

/** A permission request. "Always" remembers its key for this project. */
export interface Question {
    /** One sentence: what happens on a yes. */
    readonly sentence: string;
    /** Everything the user decides about, shown below the sentence; any number of lines. */
    readonly details?: string;
    /** What "always" remembers: `host:example.org`. North prefixes the tool's name. */
    readonly key: string;
}

/** Everything a tool may use from outside itself. */
export interface ToolContext {
    readonly workspace: Workspace;
    /** Runs only a shell tool's approved command; anything else rejects with `not-approved`. */
    readonly shell: Shell;
    /** Aborts when the user cancels; every wait must end with it. */
    readonly signal: AbortSignal;
    /** For a tool that shows more of a digested result, such as `expand_output`. */
    readonly cache: OutputCache;
    /** Records that the model has seen this version of a file (SHA-256 in hex). */
    observe(path: string, hash: string): void;
    /** The version the model last read or edited; `undefined` if it has seen none. */
    observed(path: string): string | undefined;
    /** Asks for a permission while the tool runs; `false` if denied, or if nobody can be asked. */
    permit(question: Question): Promise<boolean>;
    /** Asks the user a question; absent if nobody can be asked, as in print mode. */
    readonly ask?: AskUser;
    /** Checks input for another tool, as the host does for each call. */
    checkInput(schema: JsonSchema, input: JsonObject): Promise<CheckedInput>;
    /** Background commands; only shell tools can start them. */
    readonly jobs?: Jobs;
    /** Starts a program for as long as the plugin needs it; absent if none can run contained. */
    readonly startContained?: StartContained;
    /** Starts nested model runs; absent inside one. */
    readonly agent?: NestedAgent;
    /** Searches earlier turns and conversations. Absent in some contexts, such as a plugin's tests. */
    readonly recall?: Recall;
    /** Shows a few words after the intent line while the tool runs, replacing earlier ones. */
    note(text: string): void;
    /** Shows output as it arrives, for long-running work. */
    progress(text: string): void;
}

/** The tool that a call really goes to, if its tool calls others. */
export interface CallTarget {
    readonly tool: string;
    readonly input: JsonObject;
}

/** A call of one of Claude Code's tools: https://code.claude.com/docs/en/hooks */
export interface EquivalentCall {
    readonly tool: string;
    readonly input: JsonObject;
}

export interface ToolBase<Input, Data> {
    /** `[a-zA-Z0-9_-]{1,64}`, unique among all tools. */
    readonly name: string;
    /** For the model: what it does, when to use it. */
    readonly description: string;
    /** An object schema. Input that does not match never reaches the tool. */
    readonly inputSchema: JsonSchema;
    /** Changes nothing, so it is available in ask mode. */
    readonly readOnly: boolean;
    /**
     * Offered to every model. North leaves its other own tools out of requests to a model with a
     * window below 32,768 tokens; a call runs nevertheless. Plugins' tools are always offered.
     */
    readonly isEssential?: boolean;
    /** Its results are untrusted: no command is approved automatically for the rest of the turn. */
    readonly fromOutside?: true;
    /** Selects an editor's icon; defaults to that of its approval class. */
    readonly kind?: "read" | "search" | "fetch";
    /** Uses `context.agent`, so nested runs do not have it. */
    readonly startsRuns?: boolean;
    /** Offered only where `context.agent` has a `webSearch`. */
    readonly searchesWeb?: boolean;
    /** Max bytes of input; defaults to 51,200. */
    readonly maxInputBytes?: number;
    /** The tool that a call really goes to, for checks and hooks; `undefined` for this one. */
    target?(input: Input): CallTarget | undefined;
    /**
     * The equivalent calls of Claude Code's tools, with the fields that differ, because hooks are
     * written for those. Defaults to `Bash` for a shell tool and `Edit` for a write tool. Also called
     * with an empty input, to learn the names.
     */
    equivalents?(input: Input): readonly EquivalentCall[];
    /** One line for the user, present participle: `Reading app.ts 10-60`. */
    intent(input: Input): string;
    /** The result in a few words: `12 matches`. */
    summary?(data: Data, input: Input): string;
    /** Renders the data, or a digest's data, as text for the model; defaults to JSON. */
    render?(data: Data, input: Input): string;
    /** A shorter form for the model; `undefined` sends the data unchanged. */
    digest?(data: Data, input: Input): Digest | undefined;
}

/** A tool that runs without asking. */
export interface PlainTool<Input = unknown, Data = unknown> extends ToolBase<Input, Data> {
    readonly approval: "none";
    execute(input: Input, context: ToolContext): Promise<ToolResult<Data>>;
}

/** A change set to review, or the reason there is none. */
export type Proposal =
    | {
          readonly ok: true;
          readonly changeSet: ChangeSet;
          /** Sent to the model with the result once the change is applied. */
          readonly notes?: readonly string[];
      }
    | ToolFailure;

/** Proposes changes and never writes; the host reviews and applies them. */
export interface WriteTool<Input = unknown> extends ToolBase<Input, WriteData> {
    readonly approval: "write";
    propose(input: Input, context: ToolContext): Promise<Proposal>;
}

/** Runs a command, which is shown and matched against the allowlist first. */
export interface ShellTool<Input = unknown, Data = unknown> extends ToolBase<Input, Data> {
    readonly approval: "shell";
    command(input: Input): ShellPlan;
    execute(input: Input, context: ToolContext): Promise<ToolResult<Data>>;
}

/** Exactly what will run. */
export interface ShellPlan {
    readonly command: string;
    /** Folder to run in; defaults to the session's. */
    readonly cwd?: string;
    /** It reaches hosts over HTTP, which the user allows one by one; contained where possible. */
    readonly network?: boolean;
    /** Why it must run for real, in the model's words, for the user. */
    readonly real?: string;
    /** It runs as a job via `context.shell.start`, or leaves a process running. Never contained. */
    readonly background?: boolean;
}

/** Asks for permission first. */
export interface AskTool<Input = unknown, Data = unknown> extends ToolBase<Input, Data> {
    readonly approval: "ask";
    /** May throw an `ExpectedError` if the input makes no sense. */
    question(input: Input, context?: ToolContext): Question;
    execute(input: Input, context: ToolContext): Promise<ToolResult<Data>>;
}

/**
 * A tool, by approval class. `execute` and `propose` may throw an `ExpectedError`, which becomes a
 * failure for the model; other errors are reported as bugs in the tool. Neither ends the
 * conversation.
 */
export type Tool = PlainTool | WriteTool | ShellTool | AskTool;
