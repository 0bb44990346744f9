/** The SDK's client, playing an editor that starts `north acp` and validates every message. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Readable, Writable } from "node:stream";
import {
    client,
    methods,
    ndJsonStream,
    type AnyMessage,
    type ClientCapabilities,
    type ClientConnection,
    type CreateElicitationRequest,
    type CreateElicitationResponse,
    type McpServer,
    type NewSessionResponse,
    type RequestPermissionRequest,
    type RequestPermissionResponse,
    type SessionUpdate,
    type ToolCall,
    type ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { Compile, Errors } from "typebox/schema";
import { eventually, PROGRAM, type Workplace } from "./north-program.js";

type Program = ChildProcessByStdio<Writable, Readable, Readable>;

export interface EditorOptions {
    readonly capabilities?: ClientCapabilities;
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string | undefined>>;
    /** A command that runs the program. */
    readonly under?: readonly string[];
    /** Unsaved texts by absolute path. If absent, the editor offers no files. */
    readonly buffers?: Map<string, string>;
}

/** Returns the id of an option. A promise that never resolves leaves the question open. */
export type Answer = (question: RequestPermissionRequest) => string | Promise<string>;

/** A call with all its updates merged. */
export type ShownCall = ToolCall | ToolCallUpdate;

export class Editor {
    /** By session id. */
    readonly updates = new Map<string, SessionUpdate[]>();
    readonly forms: CreateElicitationRequest[] = [];
    /** The answer to every form. */
    formAnswer: CreateElicitationResponse = { action: "cancel" };
    readonly questions: RequestPermissionRequest[] = [];
    /** Files written through the editor. */
    readonly written: { readonly path: string; readonly content: string }[] = [];
    /** Violations of the protocol's schema. */
    readonly violations: string[] = [];
    /** All messages, in order. */
    readonly messages: { readonly side: "agent" | "client"; readonly message: AnyMessage }[] = [];
    answer: Answer = () => "no";
    private readonly connection: ClientConnection;
    private readonly ended: Promise<readonly [number | null, NodeJS.Signals | null]>;
    private stderr = "";

    private constructor(
        private readonly program: Program,
        private readonly options: EditorOptions
    ) {
        this.ended = once(program, "close").then(([code, signal]) => [code, signal] as const);
        program.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
        program.stdin.on("error", () => {});
        this.connection = this.connect();
    }

    /** Starts the program and initializes the connection. */
    static async start(workplace: Workplace, options: EditorOptions = {}): Promise<Editor> {
        const [first = "", ...rest] = [...(options.under ?? []), process.execPath, PROGRAM, "acp"];
        const program = spawn(first, [...rest, ...(options.args ?? [])], {
            cwd: workplace.folder,
            env: workplace.environment(options.env),
            stdio: ["pipe", "pipe", "pipe"],
        });
        const editor = new Editor(program, options);
        await editor.initialize();
        return editor;
    }

    get agent() {
        return this.connection.agent;
    }

    get pid(): number {
        return this.program.pid ?? 0;
    }

    initialize() {
        const { buffers, capabilities } = this.options;
        const fs = { readTextFile: buffers !== undefined, writeTextFile: buffers !== undefined };
        return this.agent.request(methods.agent.initialize, {
            protocolVersion: 1,
            clientInfo: { name: "test-editor", version: "1.0.0" },
            clientCapabilities: { fs, ...capabilities },
        });
    }

    newSession(cwd: string, mcpServers: McpServer[] = []): Promise<NewSessionResponse> {
        return this.agent.request(methods.agent.session.new, { cwd, mcpServers });
    }

    prompt(sessionId: string, text: string) {
        const prompt = [{ type: "text" as const, text }];
        return this.agent.request(methods.agent.session.prompt, { sessionId, prompt });
    }

    cancel(sessionId: string): Promise<void> {
        return this.agent.notify(methods.agent.session.cancel, { sessionId });
    }

    updatesOf<Kind extends SessionUpdate["sessionUpdate"]>(sessionId: string, kind: Kind) {
        return (this.updates.get(sessionId) ?? []).filter(
            (update): update is Extract<SessionUpdate, { sessionUpdate: Kind }> =>
                update.sessionUpdate === kind
        );
    }

    /** The joined text of all chunks of a kind. */
    text(
        sessionId: string,
        kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk"
    ): string {
        return this.updatesOf(sessionId, kind)
            .map(({ content }) => (content.type === "text" ? content.text : `[${content.type}]`))
            .join("");
    }

    /** A session's calls in order, each with its updates merged. */
    calls(sessionId: string): ShownCall[] {
        const calls = new Map<string, ShownCall>();
        for (const update of this.updates.get(sessionId) ?? []) {
            if (
                update.sessionUpdate !== "tool_call" &&
                update.sessionUpdate !== "tool_call_update"
            ) {
                continue;
            }
            const { sessionUpdate, ...call } = update;
            const known = calls.get(call.toolCallId);
            if (known === undefined && sessionUpdate === "tool_call_update") {
                this.violations.push(`an update of the unknown call ${call.toolCallId}`);
            }
            calls.set(call.toolCallId, { ...known, ...call });
        }
        return [...calls.values()];
    }

    /** Resolves once `holds` is true. */
    async until(holds: () => boolean, what: string): Promise<void> {
        try {
            await eventually(holds, what);
        } catch (error) {
            const told = JSON.stringify([...this.updates.values()].map((all) => all.slice(-5)));
            throw new Error(`${String(error)}; the editor was told ${told}; ${this.stderr}`);
        }
    }

    /** Writes a raw line. */
    send(line: string): void {
        this.program.stdin.write(`${line}\n`);
    }

    kill(signal: NodeJS.Signals): void {
        this.program.kill(signal);
    }

    /** Disconnects and waits for the program to exit. */
    async close() {
        this.connection.close();
        this.program.stdin.end();
        return this.end();
    }

    async end() {
        const [code, signal] = await this.ended;
        return { code, signal, stderr: this.stderr, violations: this.violations };
    }

    private connect(): ClientConnection {
        const { buffers } = this.options;
        const { stdout } = this.program;
        let isOpen = true;
        const input: ReadableStream<Uint8Array> = new ReadableStream({
            start(controller) {
                stdout.on("data", (chunk: Buffer) => isOpen && controller.enqueue(chunk));
                stdout.once("end", () => isOpen && controller.close());
            },
            cancel() {
                isOpen = false;
            },
        });
        const { readable, writable } = ndJsonStream(Writable.toWeb(this.program.stdin), input);
        const requested = new Map<unknown, string>();
        const watch = (side: "agent" | "client") =>
            new TransformStream<AnyMessage, AnyMessage>({
                transform: (message, controller) => {
                    this.messages.push({ side, message });
                    this.violations.push(...violationsIn(message, side, requested));
                    controller.enqueue(message);
                },
            });
        const outgoing = watch("client");
        void outgoing.readable.pipeTo(writable).catch(() => {});
        return client({ name: "test-editor" })
            .onNotification(methods.client.session.update, ({ params }) => {
                const all = this.updates.get(params.sessionId) ?? [];
                this.updates.set(params.sessionId, [...all, params.update]);
            })
            .onRequest(methods.client.session.requestPermission, ({ params }) => this.ask(params))
            .onRequest(methods.client.elicitation.create, ({ params }) => {
                this.forms.push(params);
                return this.formAnswer;
            })
            .onRequest(methods.client.fs.readTextFile, ({ params }) => {
                const content = buffers?.get(params.path);
                if (content === undefined) throw new Error(`No buffer of ${params.path}`);
                return { content };
            })
            .onRequest(methods.client.fs.writeTextFile, ({ params: { path, content } }) => {
                this.written.push({ path, content });
                buffers?.set(path, content);
                return {};
            })
            .connect({
                readable: readable.pipeThrough(watch("agent")),
                writable: outgoing.writable,
            });
    }

    private async ask(question: RequestPermissionRequest): Promise<RequestPermissionResponse> {
        this.questions.push(question);
        const optionId = await this.answer(question);
        if (optionId === "cancelled") return { outcome: { outcome: "cancelled" } };
        return { outcome: { outcome: "selected", optionId } };
    }
}

const SCHEMA_FILE = createRequire(import.meta.url).resolve(
    "@agentclientprotocol/sdk/schema/v1/schema.json"
);

interface Definition {
    readonly "x-side"?: string;
    readonly "x-method"?: string;
}

const { $defs }: { readonly $defs: Readonly<Record<string, Definition>> } = JSON.parse(
    readFileSync(SCHEMA_FILE, "utf8")
);

/** Keyed as in `session/prompt Request`. */
const SCHEMAS = new Map<string, object>(
    Object.entries($defs).flatMap(([name, definition]) => {
        const kind = /(Request|Response|Notification)$/.exec(name)?.[1];
        const method = definition["x-method"];
        if (method === undefined || kind === undefined) return [];
        return [[`${method} ${kind}`, { $defs, $ref: `#/$defs/${name}` }] as const];
    })
);

const validators = new Map<string, ReturnType<typeof Compile>>();

/** Violations of the schema of the message's method. */
function violationsIn(
    message: AnyMessage,
    side: "agent" | "client",
    requested: Map<unknown, string>
): string[] {
    if ("method" in message) {
        const isRequest = "id" in message;
        if (isRequest) requested.set(`${side} ${message.id}`, message.method);
        const kind = isRequest ? "Request" : "Notification";
        return problems(`${message.method} ${kind}`, message.params);
    }
    if (!("result" in message)) return [];
    const method = requested.get(`${side === "agent" ? "client" : "agent"} ${message.id}`);
    return problems(`${method} Response`, message.result);
}

function problems(name: string, value: unknown): string[] {
    const schema = SCHEMAS.get(name);
    if (!schema) return [`${name} is not in the protocol`];
    const validator = validators.get(name) ?? Compile(schema);
    validators.set(name, validator);
    if (validator.Check(value)) return [];
    const [, errors] = Errors(schema, value);
    const said = errors.map(({ instancePath, message }) => `${instancePath} ${message}`);
    return [`${name}: ${said.slice(0, 5).join("; ")} in ${JSON.stringify(value).slice(0, 500)}`];
}
