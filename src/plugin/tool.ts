import type { ChangeSet, Finding } from "./change-set.js";
import type { Jobs } from "./jobs.js";
import type { JsonObject, JsonSchema, JsonValue } from "./json.js";
import type { DocumentPart, FileReferencePart, ImagePart, TextPart } from "./message.js";
import type { NestedAgent } from "./nested-run.js";
import type { Shell } from "./shell.js";
import type { AskUser } from "./user-question.js";
import type { Workspace } from "./workspace.js";

/** Why a tool could not do what it was asked; written for the model. */
export interface ToolError {
    /** Stable and kebab-case: `not-found`, `ambiguous-anchor`. */
    readonly code: string;
    /** One sentence. */
    readonly message: string;
    /** What to do next. */
    readonly hint?: string;
    /** The places meant, where one has to be chosen. */
    readonly candidates?: readonly JsonValue[];
}

export interface ToolSuccess<Data = unknown> {
    readonly ok: true;
    /** JSON; what the model reads. */
    readonly data: Data;
    /**
     * More for the model, after the data. An image (5 MB, at most 10) or PDF reaches a model that takes it;
     * for others a text takes its place.
     */
    readonly content?: readonly (TextPart | ImagePart | DocumentPart | FileReferencePart)[];
    /** Lines for the user, shown below the intent line; long ones are cut between words, a command's are not. */
    readonly display?: string;
    /** All the lines of which `display` are the last ones; the user gets them with `/expand`. */
    readonly fullDisplay?: string;
    /** Repeated with the next user message; the tool's next one replaces it, an empty one ends it. */
    readonly reminder?: string;
    /**
     * How far the work is, in a few words (`2/5 Write the tests`): shown while the turn goes on,
     * until another result says more. An empty text ends it.
     */
    readonly progress?: string;
}

export interface ToolFailure {
    readonly ok: false;
    readonly error: ToolError;
}

/** Input as its tool may take it, or what is wrong with it. */
export type CheckedInput =
    | {
          readonly ok: true;
          /** As it was sent wherever that fits the schema, else as it was meant. */
          readonly input: JsonObject;
          /** What was taken in place of something else, a sentence each. */
          readonly notes: readonly string[];
      }
    | ToolFailure;

export type ToolResult<Data = unknown> = ToolSuccess<Data> | ToolFailure;

/** A shortened result; the whole stays available to `expand_output` for the rest of the turn. */
export interface Digest {
    readonly data: JsonValue;
    /** What was left out, in a few words. */
    readonly note: string;
}

/** Whole results of the current turn that were digested for the model. */
export interface OutputCache {
    get(outputId: string): { readonly toolName: string; readonly content: JsonValue } | undefined;
}

/** A permission to ask the user for. "Always" remembers its key for this project. */
export interface Question {
    /** One sentence: what happens if the answer is yes. */
    readonly sentence: string;
    /** Everything that is decided, shown below the sentence; any length, any number of lines. */
    readonly details?: string;
    /** What "always" remembers: `host:example.org`. North puts the tool's name before it. */
    readonly key: string;
}

/** What a tool may use. Everything it needs from the outside is here. */
export interface ToolContext {
    readonly workspace: Workspace;
    readonly shell: Shell;
    /** Aborted when the user cancels; every wait must end with it. */
    readonly signal: AbortSignal;
    readonly cache: OutputCache;
    /** Tell the host that the model has now seen this version of a file (SHA-256 in hex). */
    observe(path: string, hash: string): void;
    /** The version the model last read or edited; `undefined` if it has seen none. */
    observed(path: string): string | undefined;
    /** Ask for a permission in the middle of the work; `false` where nobody can be asked. */
    permit(question: Question): Promise<boolean>;
    /** Ask the user something; absent where nobody can be asked, as in print mode. */
    readonly ask?: AskUser;
    /** Check input for another tool as the host checks each call's own. */
    checkInput(schema: JsonSchema, input: JsonObject): Promise<CheckedInput>;
    /** Commands in the background; a tool of the class shell starts them. */
    readonly jobs?: Jobs;
    /** Runs the model beside the conversation; absent in such a run. */
    readonly agent?: NestedAgent;
    /** Shows a few words behind the intent line while the tool works; they replace earlier ones. */
    note(text: string): void;
    /** Show output as it comes, for long work. */
    progress(text: string): void;
}

export interface ToolBase<Input, Data> {
    /** `[a-zA-Z0-9_-]{1,64}`, unique among all tools. */
    readonly name: string;
    /** For the model: what it does, when to use it. */
    readonly description: string;
    /** An object schema. Input that does not fit never reaches the tool. */
    readonly inputSchema: JsonSchema;
    /** Changes nothing anywhere: available in ask mode. */
    readonly readOnly: boolean;
    /** Its results are written by strangers: until the turn ends, no command is approved automatically. */
    readonly fromOutside?: true;
    /** What sort of work it is, for an editor's icon; by its class of approval if absent. */
    readonly kind?: "read" | "search" | "fetch";
    /** It works by `context.agent`, so a nested run does not have it. */
    readonly startsRuns?: boolean;
    /** Most bytes of input; 51,200 unless told otherwise. */
    readonly maxInputBytes?: number;
    /** One line for the user, present participle: `Reading app.ts 10-60`. */
    intent(input: Input): string;
    /** The result in a few words: `12 matches`. */
    summary?(data: Data, input: Input): string;
    /** What the model reads of the data, or of a digest's, as text; JSON where this is absent. */
    render?(data: Data, input: Input): string;
    /** A shorter form for the model; `undefined` sends the data as it is. */
    digest?(data: Data, input: Input): Digest | undefined;
}

/** Runs without asking. */
export interface PlainTool<Input = unknown, Data = unknown> extends ToolBase<Input, Data> {
    readonly approval: "none";
    execute(input: Input, context: ToolContext): Promise<ToolResult<Data>>;
}

/** What a write tool wants: a change set to review, or the reason why there is none. */
export type Proposal =
    | {
          readonly ok: true;
          readonly changeSet: ChangeSet;
          /** For the model, with the result, once the change was applied. */
          readonly notes?: readonly string[];
      }
    | ToolFailure;

/** Proposes changes and never writes: the host reviews and applies. */
export interface WriteTool<Input = unknown> extends ToolBase<Input, WriteData> {
    readonly approval: "write";
    propose(input: Input, context: ToolContext): Promise<Proposal>;
}

/** The result of a write tool whose change was applied. */
export interface WriteData {
    readonly applied: "all" | "some";
    readonly files: readonly {
        readonly path: string;
        readonly linesAdded: number;
        readonly linesRemoved: number;
    }[];
    /** The hunks that were applied, where it was only some. */
    readonly hunks?: readonly string[];
    /** What checks have found in the change. */
    readonly findings?: readonly Finding[];
    /** Those of the proposal. */
    readonly notes?: readonly string[];
}

/** Runs a command that is shown and matched against the allowlist first. */
export interface ShellTool<Input = unknown, Data = unknown> extends ToolBase<Input, Data> {
    readonly approval: "shell";
    command(input: Input): ShellPlan;
    execute(input: Input, context: ToolContext): Promise<ToolResult<Data>>;
}

/** Exactly what will run. */
export interface ShellPlan {
    readonly command: string;
    /** Where, if not in the session's folder. */
    readonly cwd?: string;
    /** It needs the network, so that there is no use in trying it contained. */
    readonly network?: boolean;
    /** It is to run as a job, by `context.shell.start`, or leaves something running. Never contained. */
    readonly background?: boolean;
}

/** Asks a question first. */
export interface AskTool<Input = unknown, Data = unknown> extends ToolBase<Input, Data> {
    readonly approval: "ask";
    /** May throw an `ExpectedError` where the input makes no sense. */
    question(input: Input): Question;
    execute(input: Input, context: ToolContext): Promise<ToolResult<Data>>;
}

/**
 * A tool, by its class of approval. `execute` and `propose` may throw an `ExpectedError`, which
 * becomes a failure the model reads; anything else they throw is reported as a bug of the tool and
 * never ends the conversation.
 */
export type Tool = PlainTool | WriteTool | ShellTool | AskTool;
