import type { ToolCall } from "@agentclientprotocol/sdk";
import { counted, formatDuration } from "../base/format.js";
import { visibleLine } from "../base/safe-text.js";
import type { AgentEvent, EventOf } from "../core/agent/events.js";
import type { Session } from "../core/session.js";
import {
    startedCall,
    finishedCall,
    loggedCalls,
    planOf,
    type CallContext,
} from "./call-updates.js";
import type { EditorClient } from "./editor-client.js";
import { changeContent, kindOf, outputContent, textContent } from "./tool-content.js";

/** Tail of a running command's output sent to the editor, about as much as the chat shows. */
const MAX_LIVE_CHARACTERS = 4_000;
/** Throttled: each update repeats the output. */
const LIVE_PAUSE_MS = 100;

export interface TurnContext extends CallContext {
    readonly client: EditorClient;
    readonly session: Session;
}

export class TurnUpdates {
    private readonly open = new Set<string>();
    private readonly outputs = new Map<string, { text: string; timer?: NodeJS.Timeout }>();
    private readonly begin: number;
    private isBreakDue = false;

    constructor(private readonly context: TurnContext) {
        this.begin = context.session.entries.length;
    }

    async handle(event: AgentEvent): Promise<void> {
        switch (event.type) {
            case "text-delta":
                return this.text("agent_message_chunk", event.text);
            case "thinking-delta":
                return this.text("agent_thought_chunk", event.text);
            case "text-finished":
            case "thinking-finished":
                this.isBreakDue = true;
                return;
            case "tool-call-preparing":
                return this.prepared(event);
            case "tool-call-started":
                return this.started(event);
            case "tool-output-delta":
                return this.printed(event);
            case "tool-call-finished":
                return this.finished(event);
            case "file-progress":
                return this.fileGrows(event);
            case "file-finished":
                return this.fileFinished(event);
            case "usage-reported":
                return this.used(event);
            case "retry-scheduled": {
                const delay = formatDuration(event.delayMs);
                return this.context.client.notice(`${event.reason} Trying again in ${delay}.`);
            }
            case "notice":
                return this.context.client.notice(event.text);
            case "request-started":
            case "tool-call-growing":
            case "message-delivered":
            case "nested-usage":
            case "web-search":
            case "tool-call-noted":
            case "review-settled":
            case "change-drafted":
            case "turn-finished":
                return;
            default:
                return event satisfies never;
        }
    }

    /** Fails open calls: they will never get a result. */
    async end(): Promise<void> {
        for (const { timer } of this.outputs.values()) clearTimeout(timer);
        this.outputs.clear();
        for (const toolCallId of this.open) {
            const update = { sessionUpdate: "tool_call_update", status: "failed" } as const;
            await this.context.client.send({ ...update, toolCallId });
        }
        this.open.clear();
    }

    private async text(
        sessionUpdate: "agent_message_chunk" | "agent_thought_chunk",
        text: string
    ): Promise<void> {
        const start = this.isBreakDue ? "\n\n" : "";
        this.isBreakDue = false;
        const content = { type: "text", text: start + text } as const;
        await this.context.client.send({ sessionUpdate, content });
    }

    private async prepared({ callId, name }: EventOf<"tool-call-preparing">): Promise<void> {
        const kind = kindOf(this.context.findTool(name));
        const title = visibleLine(name);
        await this.announce({ toolCallId: callId, title, kind, status: "pending" });
    }

    private async started({ callId, name, intent }: EventOf<"tool-call-started">): Promise<void> {
        const input = this.logged().inputs.get(callId);
        const call = startedCall(callId, { name, intent, input }, this.context);
        await this.announce({ ...call, status: "in_progress" });
    }

    private async announce(call: ToolCall): Promise<void> {
        this.open.add(call.toolCallId);
        this.isBreakDue = false;
        await this.context.client.call(call);
    }

    private printed({ callId, text }: EventOf<"tool-output-delta">): void {
        const output = this.outputs.get(callId) ?? { text: "" };
        this.outputs.set(callId, output);
        output.text = (output.text + text).slice(-MAX_LIVE_CHARACTERS);
        output.timer ??= setTimeout(() => {
            delete output.timer;
            const content = [outputContent(output.text)];
            const update = { sessionUpdate: "tool_call_update", toolCallId: callId } as const;
            void this.context.client.send({ ...update, content });
        }, LIVE_PAUSE_MS);
    }

    private async finished({ callId }: EventOf<"tool-call-finished">): Promise<void> {
        clearTimeout(this.outputs.get(callId)?.timer);
        this.outputs.delete(callId);
        const logged = this.logged();
        const call = await finishedCall(callId, logged, this.context);
        if (!call) return;
        const { client } = this.context;
        this.open.delete(callId);
        await client.call(call);
        const entries = planOf(logged.results.get(callId));
        if (entries) await client.send({ sessionUpdate: "plan", entries });
    }

    private async fileGrows({ fileId, path }: EventOf<"file-progress">): Promise<void> {
        if (this.open.has(fileId)) return;
        const title = `Writing ${visibleLine(path)}`;
        await this.announce({ toolCallId: fileId, title, kind: "edit", status: "in_progress" });
    }

    private async fileFinished(event: EventOf<"file-finished">): Promise<void> {
        const { fileId, path, ok, lines, error } = event;
        const { editorRoot, contents, client } = this.context;
        const files = (this.logged().changes.get(fileId) ?? []).flatMap((change) => change.files);
        this.open.delete(fileId);
        await client.call({
            toolCallId: fileId,
            kind: "edit",
            status: ok ? "completed" : "failed",
            title: `Writing ${visibleLine(path)} (${counted(lines, "line")})`,
            content: [
                ...(await changeContent(editorRoot, files, contents)),
                ...(error ? [textContent(visibleLine(error.message))] : []),
            ],
        });
    }

    private async used({ contextTokens }: EventOf<"usage-reported">): Promise<void> {
        const { client, session } = this.context;
        const { contextLimit, sessionCostUsd } = session.status();
        await client.send({
            sessionUpdate: "usage_update",
            used: contextTokens,
            size: contextLimit,
            cost: { amount: sessionCostUsd, currency: "USD" },
        });
    }

    private logged() {
        return loggedCalls(this.context.session.entries.slice(this.begin));
    }
}
