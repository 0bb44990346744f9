import path from "node:path";
import { setImmediate } from "node:timers/promises";
import type {
    ContextUsage,
    Mode,
    SlashCommand,
    SlashServices,
    ThinkingChoice,
    Tool,
    ToolSchema,
} from "../../plugin/index.js";
import type { AgentEvent } from "../../core/agent/events.js";
import { isOffered } from "../../core/agent/calls/plan-call.js";
import { NestedRuns } from "../../core/agent/nested/run-nested.js";
import { runTurn } from "../../core/agent/turn/run-turn.js";
import {
    type QueuedMessage,
    requestOf,
    type RequestParts,
    type Turn,
    type TurnLimits,
} from "../../core/agent/turn.js";
import { expectedTokens } from "../../core/context/estimate.js";
import { SYSTEM_PROMPT } from "../../core/context/system-prompt.js";
import { contextUsage } from "../../core/context/usage.js";
import type { ConversationLog } from "../../core/conversation/conversation-log.js";
import type { Entry } from "../../plugin/records.js";
import { Leftovers } from "../../core/files/leftovers.js";
import type { ResolvedModel } from "../../core/registry/models.js";
import { thinkingWord } from "../../core/registry/thinking.js";
import { toToolSchema } from "../../core/registry/tool-schema.js";
import type { MessageQueue, SendOptions, Session, SessionStatus } from "../../core/session.js";
import type { Budget } from "../../core/costs/budget.js";
import { createBudget } from "../costs/budget.js";
import { attachPermission } from "../context/attach-permission.js";
import { MessageComposer, type MessageOptions } from "../context/message-composer.js";
import {
    nestedLogs,
    newConversation,
    nextConversation,
} from "../conversations/open-conversation.js";
import { checkMessage } from "./checked-message.js";
import { closeSession } from "./close-session.js";
import { editedElsewhere } from "./edited-elsewhere.js";
import { failedTurn } from "./failed-turn.js";
import { keepText } from "./keep-text.js";
import { withoutKeys } from "../models/provider-keys.js";
import { noteWhatChanged } from "./note-what-changed.js";
import { ownCommandRunner } from "./own-command.js";
import type { SessionOptions, SessionParts } from "./session-parts.js";
import { turnParts } from "./turn-parts.js";
import { sessionServices } from "./session-services.js";

type SentAlong = Pick<MessageOptions, "context" | "attached" | "notes">;
type Compose = (
    text: string,
    typed: string,
    along: SentAlong
) => Promise<Omit<QueuedMessage, "take">>;

/** One project and one conversation at a time, as the chat and print mode drive it. */
export class HostSession implements Session, SessionParts {
    readonly slashCommands: readonly SlashCommand[];
    readonly services: SlashServices;
    model: ResolvedModel;
    mode: Mode;
    thinking: ThinkingChoice;
    until?: SessionParts["until"];
    conversation: ConversationLog;
    readonly listFiles = () => this.options.project.workspace.files();
    readonly watchJobs: Session["watchJobs"] = (listener) =>
        this.options.project.shell.jobs.watch(listener);
    readonly runOwnCommand = ownCommandRunner(this);
    private readonly tools: ReadonlyMap<string, Tool>;
    private readonly schemas = new Map<Mode, readonly ToolSchema[]>();
    readonly budget: Budget | undefined;
    private readonly leftovers = new Leftovers();
    private sessionCostUsd = 0;
    private unpricedRequests = 0;
    private closing: Promise<void> | undefined;
    readonly messages: MessageComposer;

    constructor(readonly options: SessionOptions) {
        const { registry } = options.project;
        this.model = options.model;
        this.mode = options.mode;
        this.thinking = options.thinking;
        const { project, surroundings, files } = options;
        this.messages = new MessageComposer(
            project.context,
            project.workspace,
            surroundings,
            files
        );
        this.conversation = options.conversation ?? this.newConversation();
        this.tools = new Map([...registry.tools].map(([name, { value }]) => [name, value]));
        this.slashCommands = [...registry.slashCommands.values()].map(({ value }) => value);
        this.services = sessionServices(this);
        this.budget = createBudget({
            settings: options.budget,
            hasRunLimit: options.limits.maxCostUsd !== undefined,
            dataFolder: options.project.directories.data,
            configFile: path.join(options.project.directories.config, "config.json"),
            conversationId: () => this.conversationId,
            now: options.edges.now,
        });
    }

    get root(): string {
        return this.options.project.root;
    }

    get conversationId(): string {
        return this.conversation.id;
    }

    get entries(): readonly Entry[] {
        return this.conversation.state.entries;
    }

    status(): SessionStatus {
        const { model } = this.model;
        return {
            projectName: this.options.project.name,
            modelName: model.displayName,
            thinking: thinkingWord(model, this.thinking),
            mode: this.mode,
            contextTokens: expectedTokens(requestOf(this.parts), this.conversation.state),
            contextLimit: model.contextTokens,
            sessionCostUsd: this.sessionCostUsd,
            unpricedRequests: this.unpricedRequests,
            allTimeCostUsd: this.options.allTimeCostUsd + this.sessionCostUsd,
        };
    }

    contextUsage(): ContextUsage {
        const { shares, contextTokens } = this.conversation.state;
        return contextUsage(requestOf(this.parts), shares, contextTokens);
    }

    prepare(): void {
        this.messages.prepare(this.conversation.state);
    }

    async *send(text: string, options: SendOptions): AsyncGenerator<AgentEvent, void> {
        const { log } = this.options.project;
        log.event("info", "user_prompt", { length: text.length });
        let turn: Turn;
        try {
            const prepared = await this.turn(text, options);
            turn = prepared.turn;
            for (const notice of prepared.notices) yield { type: "notice", text: notice };
        } catch (error) {
            yield { type: "turn-finished", outcome: failedTurn(error, options.signal) };
            return;
        }
        let beside: Promise<void> | undefined;
        for await (const event of runTurn(turn)) {
            // Not before the request is on its way, which takes two turns of the event loop.
            if (event.type === "request-started") {
                beside = setImmediate()
                    .then(() => setImmediate())
                    .then(() => this.options.onRequest?.());
            } else {
                await beside;
            }
            if (event.type === "usage-reported" || event.type === "nested-usage") {
                this.count(event.costUsd);
            }
            if (event.type === "turn-finished") yield* this.warnings();
            const judged = this.until?.judge(event) ?? event;
            yield this.options.answer?.judge(judged) ?? judged;
        }
    }

    private *warnings(): Generator<AgentEvent> {
        for (const text of this.options.warnings()) yield { type: "notice", text };
    }

    noteCommand(name: string, argumentsText: string): void {
        if (!this.conversation.isOpen) return;
        const { edges } = this.options;
        const entry = { id: edges.id(), at: edges.now(), name, argumentsText };
        this.conversation.record({ type: "entry_added", entry: { kind: "command", ...entry } });
    }

    async startNew(): Promise<void> {
        await this.conversation.close(this.options.edges.now());
        this.conversation = this.newConversation();
    }

    async resume(id: string): Promise<readonly string[]> {
        const { project, edges } = this.options;
        const { conversation, model, warnings } = await nextConversation(project, id);
        const before = this.conversation;
        this.conversation = conversation;
        if (model) this.model = model;
        this.thinking = conversation.state.thinking;
        await before.close(edges.now());
        return warnings;
    }

    close(): Promise<void> {
        this.closing ??= closeSession(this.options, this.conversation);
        return this.closing;
    }

    private newConversation(): ConversationLog {
        return newConversation(this.options.project, () => ({
            provider: this.model.provider.id,
            model: this.model.model.id,
        }));
    }

    private async turn(
        text: string,
        { approver, signal, typed, queue, attached, context = [] }: SendOptions
    ): Promise<{ readonly turn: Turn; readonly notices: readonly string[] }> {
        const { project, connections, runGrants, limits, edges, results, nestedModel } =
            this.options;
        this.prepare();
        await project.recovered;
        const checked = await checkMessage(this, text, signal);
        const connection = await connections.to(this.model.provider);
        await this.conversation.begin();
        noteWhatChanged(this);
        runGrants.pausedBy = undefined;
        const { state } = this.conversation;
        const { mode } = this;
        const compose = (text: string, typed: string, along: SentAlong) =>
            this.messages.compose({
                ...{ ...along, text, typed, mode, state },
                model: this.model.model,
                notes: [...along.notes, ...this.leftoverNotes(mode)],
                ...(approver ? { permit: attachPermission(approver, signal) } : {}),
                signal,
            });
        const { message, notices } = await compose(text, typed ?? text, {
            context,
            ...(attached ? { attached } : {}),
            notes: checked.notes,
        });
        const nested: NestedRuns = new NestedRuns(
            () => turn,
            nestedLogs(project, this.conversation)
        );
        const turn: Turn = {
            ...this.parts,
            record: (record) => this.conversation.record(withoutKeys(record, connections.keys)),
            sync: () => this.conversation.sync(),
            observe: (event) => this.conversation.observe(event),
            provider: this.model.provider,
            connection,
            mode: this.mode,
            tools: this.tools,
            ...turnParts(project),
            foresee: (command, cwd) => project.foresee(command, cwd, signal),
            staging: project.staging(this.conversation.id),
            keepText: (text) => keepText(this, text),
            runGrants,
            limits: this.remaining(limits),
            ...(this.budget ? { budget: this.budget } : {}),
            edges,
            results,
            signal,
            message,
            ...(checked.checks && { checks: checked.checks }),
            editedElsewhere: (paths) => editedElsewhere(this, paths),
            clean: (record) => withoutKeys(record, connections.keys),
            nested: (...run) => nested.run(...run),
            ...(nestedModel === undefined ? {} : { nestedModel }),
            checkCommands: this.options.checkCommands,
            contextFor: (paths) => project.context.forFiles(paths, state.told.parts, signal),
            ...(queue ? { nextMessage: () => this.queued(queue, compose, turn) } : {}),
            ...(approver ? { approver } : {}),
        };
        return { turn, notices: [...checked.notices, ...notices] };
    }

    private leftoverNotes(mode: Mode): readonly string[] {
        const { staging } = this.options.project;
        return mode === "agent" ? this.leftovers.notes(staging(this.conversationId)) : [];
    }

    /** What is sent in another mode, or to another model, waits for a turn of its own. */
    private async queued(
        queue: MessageQueue,
        compose: Compose,
        { mode, model, checks }: Turn
    ): Promise<QueuedMessage | undefined> {
        const input = queue.peek();
        if (input === undefined || mode !== this.mode || model !== this.model.model) {
            return undefined;
        }

        // What a check refuses waits for a turn of its own, which says so.
        const { deny, notes = [] } = (await checks?.beforeMessage(input.text)) ?? {};
        if (deny !== undefined) return undefined;
        const composed = await compose(input.text, input.typed, { context: [], notes });
        return { ...composed, take: () => queue.take(input) };
    }

    /** What the next request is made of, in the turn that sends it and for the status line. */
    private get parts(): RequestParts {
        return {
            conversation: this.conversation.state,
            model: this.model.model,
            thinking: this.thinking,
            system: SYSTEM_PROMPT,
            schemas: this.schemasOf(this.mode),
            mayPause: this.options.isInteractive,
        };
    }

    /** The same objects each time: what is sent first must never change. */
    private schemasOf(mode: Mode): readonly ToolSchema[] {
        const known = this.schemas.get(mode);
        if (known) return known;
        const schemas = [...this.tools.values()]
            .filter((tool) => isOffered(tool, mode, this.options.project.contained))
            .map(toToolSchema);
        this.schemas.set(mode, schemas);
        return schemas;
    }

    /** Money is limited for the whole run, whatever the number of messages and conversations. */
    private remaining({ maxCostUsd, ...limits }: TurnLimits): TurnLimits {
        if (maxCostUsd === undefined) return limits;
        return { ...limits, maxCostUsd: maxCostUsd - this.sessionCostUsd };
    }

    count(costUsd: number | null): void {
        if (costUsd === null) this.unpricedRequests += 1;
        else this.sessionCostUsd += costUsd;
    }
}
