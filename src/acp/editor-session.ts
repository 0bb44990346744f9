import {
    RequestError,
    type ContentBlock,
    type PromptResponse,
    type SessionConfigOption,
} from "@agentclientprotocol/sdk";
import { isExpectedError } from "../base/north-error.js";
import type { TurnOutcome } from "../core/agent/events.js";
import { OneTurn } from "../core/one-turn.js";
import type { SendOptions } from "../core/session.js";
import { createEditorApprover } from "./approver.js";
import { configOptions } from "./config-options.js";
import { sentencesOf, type EditorClient } from "./editor-client.js";
import type { EditorSessionParts } from "./opened-session.js";
import { messageOf } from "./prompt-content.js";
import { offeredCommands, runSlashCommands } from "./slash-screen.js";
import { TurnUpdates, type TurnContext } from "./turn-updates.js";

type TurnOptions = Pick<SendOptions, "typed" | "attached" | "context" | "isDraftReview">;

/** One conversation in an editor. */
export class EditorSession {
    readonly context: TurnContext;
    private readonly turns = new OneTurn();

    constructor(
        private readonly opened: EditorSessionParts,
        private readonly client: EditorClient,
        editorRoot: string
    ) {
        const { session, contents, findTool } = opened;
        this.context = { client, session, contents, findTool, editorRoot };
    }

    /** Sends what the editor may only get once it knows the session. */
    async introduce(): Promise<void> {
        const { session } = this.context;
        await this.client.send({
            sessionUpdate: "available_commands_update",
            availableCommands: offeredCommands(session.slashCommands).map(
                ({ name, description, usage }) => {
                    const hint = usage.slice(`/${name}`.length).trim();
                    return { name, description, ...(hint === "" ? {} : { input: { hint } }) };
                }
            ),
        });
        for (const notice of this.opened.notices) await this.client.notice(notice, "message");
        session.prepare();
    }

    options(): Promise<SessionConfigOption[]> {
        return configOptions(this.context.session);
    }

    async sendMode(): Promise<void> {
        const currentModeId = this.context.session.services.session.mode.current();
        await this.client.send({ sessionUpdate: "current_mode_update", currentModeId });
    }

    async sendConfigOptions(): Promise<void> {
        const configOptions = await this.options();
        await this.client.send({ sessionUpdate: "config_option_update", configOptions });
    }

    /** Runs a turn to its end. Rejects with the failure that the editor shows. */
    async prompt(blocks: readonly ContentBlock[], stop: AbortSignal): Promise<PromptResponse> {
        const cancel = () => this.cancel();
        stop.addEventListener("abort", cancel, { once: true });
        try {
            return await this.turns.run((signal) => this.answer(blocks, signal));
        } catch (error) {
            throw this.failure(error);
        } finally {
            stop.removeEventListener("abort", cancel);
        }
    }

    private async answer(
        blocks: readonly ContentBlock[],
        signal: AbortSignal
    ): Promise<PromptResponse> {
        try {
            await this.turns.settle(signal);
            const { text, attached } = messageOf(blocks, this.context.editorRoot);
            const message = await this.runCommands(text, signal);
            if (signal.aborted) return { stopReason: "cancelled" };
            if (message === "" && attached.length === 0) return { stopReason: "end_turn" };
            // Pasted text looks like typed text, so only the editor's links are attached.
            const outcome = await this.runTurn(message, { typed: "", attached }, signal);
            return signal.aborted ? { stopReason: "cancelled" } : this.responseTo(outcome);
        } catch (error) {
            if (signal.aborted) return { stopReason: "cancelled" };
            throw error;
        }
    }

    cancel(): void {
        this.turns.cancel();
    }

    async close(): Promise<void> {
        await this.turns.close();
        await this.context.session.close();
    }

    private async runCommands(text: string, signal: AbortSignal): Promise<string> {
        const before = JSON.stringify(await this.options());
        const run = async (sent: string, options: TurnOptions) => {
            const outcome = await this.runTurn(sent, options, signal);
            const { stopReason = "cancelled", text: said = "", costUsd = null } = outcome ?? {};
            return { stopReason, text: said, costUsd };
        };
        const turn: Parameters<typeof runSlashCommands>[1] = {
            ...this.context,
            send: ({ text: sent, typed = "", context }) => run(sent, { typed, context }),
            reviewDraft: () => run("", { isDraftReview: true }),
        };
        const message = await runSlashCommands(text, turn, signal);
        if (JSON.stringify(await this.options()) !== before) {
            await this.sendMode();
            await this.sendConfigOptions();
        }
        return message;
    }

    /** Runs one turn. Returns `undefined` if it was cancelled and hangs. */
    private async runTurn(
        text: string,
        options: TurnOptions,
        signal: AbortSignal
    ): Promise<TurnOutcome | undefined> {
        const { session, editorRoot } = this.context;
        const updates = new TurnUpdates(this.context);
        const place = { client: this.client, root: session.root, editorRoot };
        const approver = createEditorApprover(place);
        let outcome: TurnOutcome | undefined;
        await this.turns.pull(
            session.send(text, { ...options, approver, signal }),
            (event) => {
                if (event.type === "turn-finished") ({ outcome } = event);
                return updates.handle(event);
            },
            signal
        );
        await updates.end();
        return outcome;
    }

    private responseTo(outcome: TurnOutcome | undefined): PromptResponse {
        switch (outcome?.stopReason) {
            case "end":
                return { stopReason: "end_turn" };
            case "max-output":
                return { stopReason: "max_tokens" };
            case "max-turns":
                return { stopReason: "max_turn_requests" };
            case "refused":
                return { stopReason: "refusal" };
            case "cancelled":
                return { stopReason: "cancelled" };
            case "max-cost":
                throw new RequestError(-32603, "Cost limit reached (--max-cost).");
            default:
                throw requestError(outcome?.error ?? "the turn ended without an outcome");
        }
    }

    private failure(error: unknown): Error {
        if (error instanceof RequestError) return error;
        if (!isExpectedError(error)) this.opened.onBug(error);
        return requestError(error);
    }
}

/** Maps a failure to a protocol error. */
export function requestError(error: unknown): RequestError {
    if (error instanceof RequestError) return error;
    const sentences = sentencesOf(error);
    if (!isExpectedError(error)) return new RequestError(-32603, sentences);
    const { code, nextSteps } = error;
    return new RequestError(PROTOCOL_CODES[code] ?? -32603, sentences, { code, nextSteps });
}

/** https://agentclientprotocol.com/protocol/v1/schema#errorcode */
const PROTOCOL_CODES: Readonly<Record<string, number>> = {
    "no-api-key": -32000,
    "no-such-conversation": -32002,
    "not-found": -32002,
    "not-a-folder": -32602,
    "unknown-option": -32602,
    "unknown-model": -32602,
    "no-thinking": -32602,
    "turn-running": -32600,
    "turn-still-running": -32600,
};
