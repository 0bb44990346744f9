import {
    methods,
    type AgentContext,
    type ClientCapabilities,
    type ReadTextFileResponse,
    type RequestPermissionRequest,
    type SessionUpdate,
    type ToolCall,
    type ToolCallContent,
    type ToolKind,
} from "@agentclientprotocol/sdk";
import { messageOf } from "../base/system-error.js";
import { untilAborted, within } from "../base/waiting.js";
import { isFields } from "../base/fields.js";
import { isExpectedError, NorthError } from "../base/north-error.js";
import { visibleLine } from "../base/safe-text.js";
import type { EditorFiles } from "../core/editor-files.js";

/** An editor that takes longer hangs, or has no such file. Saving may format and lint. */
const [READ_LIMIT_MS, WRITE_LIMIT_MS] = [5_000, 60_000];

export interface EditorQuestion {
    readonly callId: string;
    readonly title: string;
    readonly kind: ToolKind;
    readonly content: readonly ToolCallContent[];
    readonly options: RequestPermissionRequest["options"];
}

export class EditorClient {
    private readonly calls = new Set<string>();

    constructor(
        private readonly context: AgentContext,
        private readonly capabilities: ClientCapabilities,
        readonly sessionId: string
    ) {}

    /** Never rejects: a lost editor ends the session elsewhere. */
    async send(update: SessionUpdate): Promise<void> {
        const { sessionId } = this;
        const sent = this.context.notify(methods.client.session.update, { sessionId, update });
        await sent.catch(() => undefined);
    }

    /** Creates the call in the editor, or updates it if it was sent before. */
    async call(call: ToolCall): Promise<void> {
        const isKnown = this.calls.has(call.toolCallId);
        this.calls.add(call.toolCallId);
        await this.send(
            isKnown
                ? { sessionUpdate: "tool_call_update", ...call }
                : { sessionUpdate: "tool_call", ...call }
        );
    }

    /** Shows a notice where the editor supports notices, otherwise in the conversation. */
    async notice(text: string, place: "message" | "thought" = "thought"): Promise<void> {
        const title = visibleLine(text);
        if (title === "") return;
        if (this.capabilities.session?.notices) {
            return this.send({ sessionUpdate: "notice", severity: "info", title });
        }
        const content = { type: "text", text: `${title}\n\n` } as const;
        return this.send({ sessionUpdate: `agent_${place}_chunk`, content });
    }

    get hasForms(): boolean {
        return Boolean(this.capabilities.elicitation?.form);
    }

    /** The text typed into a form, with `choices` as a hint; `undefined` if there was no answer. */
    async askForText(
        title: string,
        choices: readonly string[],
        signal: AbortSignal
    ): Promise<string | undefined> {
        const named = choices.map((choice) => visibleLine(choice)).join(", ");
        const help = named === "" ? {} : { description: `${named}, or your own answer` };
        const answer = { type: "string", title: "Answer", ...help } as const;
        const asked = this.context.request(methods.client.elicitation.create, {
            mode: "form",
            sessionId: this.sessionId,
            message: visibleLine(title),
            requestedSchema: { type: "object", properties: { answer }, required: ["answer"] },
        });
        const response = await untilAborted(asked, signal, () => undefined);
        const content: unknown = response?.action === "accept" ? response.content : undefined;
        const text = isFields(content) ? content.answer : undefined;
        return typeof text === "string" && text.trim() !== "" ? text : undefined;
    }

    /** The id of the chosen option; `undefined` if there was none. */
    async ask(
        { callId, title, kind, content, options }: EditorQuestion,
        signal: AbortSignal
    ): Promise<string | undefined> {
        const { sessionId } = this;
        const call = { toolCallId: callId, title, kind, content: [...content] };
        const isNew = !this.calls.has(callId);
        if (isNew) await this.call({ ...call, status: "pending" });
        const answered = this.context
            .request(methods.client.session.requestPermission, {
                sessionId,
                toolCall: { ...call, status: "pending" },
                options,
            })
            .then(({ outcome }) => (outcome.outcome === "selected" ? outcome.optionId : undefined));
        const chosen = await untilAborted(answered, signal, () => undefined);
        // Accept only an option that was offered.
        const option = options.find(({ optionId }) => optionId === chosen);
        if (isNew) {
            const status = option?.kind.startsWith("allow") ? "completed" : "failed";
            await this.call({ ...call, status });
        }
        return option?.optionId;
    }
}

/** A session's id and its paths as the editor names them. Both are set once the session is open. */
interface EditorPaths {
    sessionId: string;
    toEditor(path: string): string;
}

/** The editor's file access; `undefined` if it offers none. */
export function editorFiles(
    context: AgentContext,
    { fs }: ClientCapabilities,
    paths: EditorPaths
): EditorFiles | undefined {
    if (!fs?.readTextFile) return undefined;
    const named = (path: string) => ({ sessionId: paths.sessionId, path: paths.toEditor(path) });
    return {
        async read(path) {
            const asked: Promise<ReadTextFileResponse> = context.request(
                "fs/read_text_file",
                named(path)
            );
            const answer = within(READ_LIMIT_MS, asked, () => undefined);
            return (await answer.catch(() => undefined))?.content;
        },
        ...(fs.writeTextFile && {
            async write(path: string, content: string) {
                const params = { ...named(path), content };
                const asked = context.request(methods.client.fs.writeTextFile, params);
                await within<unknown, never>(WRITE_LIMIT_MS, asked, () => {
                    throw new NorthError(
                        "editor-silent",
                        `The editor did not save ${path} in time.`,
                        ["Read the file again: it may have been saved since."]
                    );
                });
            },
        }),
    };
}

/** An error and its next steps, as sentences. */
export function sentencesOf(error: unknown): string {
    if (isExpectedError(error)) return [error.message, ...error.nextSteps].join(" ");
    const what = messageOf(error);
    return `Something went wrong inside North: ${what}. See north.log for the details.`;
}
