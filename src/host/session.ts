import path from "node:path";
import type {
    Mode,
    ModelRequest,
    SlashCommand,
    Tool,
    ToolSchema,
} from "../plugin/index.js";
import type { AgentEvent, TurnOutcome } from "../core/agent/events.js";
import { runTurn } from "../core/agent/run-turn.js";
import type { Edges, Turn, TurnLimits } from "../core/agent/turn.js";
import type { Approver } from "../core/approval/approver.js";
import type { RunGrants } from "../core/approval/policy.js";
import { estimateTokens } from "../core/context/estimate.js";
import { SYSTEM_PROMPT } from "../core/context/system-prompt.js";
import { userContent, type Surroundings } from "../core/context/user-content.js";
import type { ConversationLog } from "../core/conversation/conversation-log.js";
import type { Entry } from "../core/conversation/records.js";
import { Leftovers } from "../core/files/leftovers.js";
import type { ResolvedModel } from "../core/registry/models.js";
import type { Session, SessionServices, SessionStatus } from "../core/session.js";
import type { Budget } from "../core/costs/budget.js";
import type { BudgetSettings } from "../storage/config.js";
import { createBudget } from "./budget.js";
import type { Connections } from "./connections.js";
import { newConversation } from "./conversation-source.js";
import type { Project } from "./open-project.js";
import { withoutKeys } from "./provider-keys.js";
import { sessionServices } from "./session-services.js";
import { nextConversation } from "./switch-conversation.js";

/** What a session starts with. */
export interface SessionOptions {
    readonly project: Project;
    readonly connections: Connections;
    /** A conversation that goes on; a new one if absent. */
    readonly conversation?: ConversationLog;
    readonly model: ResolvedModel;
    readonly mode: Mode;
    readonly runGrants: RunGrants;
    readonly limits: TurnLimits;
    readonly budget: BudgetSettings;
    readonly edges: Edges;
    readonly surroundings: Surroundings;
    readonly allTimeCostUsd: number;
    rememberModel(model: ResolvedModel): Promise<void>;
}

type SendOptions = { readonly approver?: Approver; readonly signal: AbortSignal };

/** One project and one conversation at a time, as the chat and print mode drive it. */
export class HostSession implements Session {
    readonly slashCommands: readonly SlashCommand[];
    readonly services: SessionServices;
    model: ResolvedModel;
    mode: Mode;
    conversation: ConversationLog;
    private readonly tools: ReadonlyMap<string, Tool>;
    private readonly schemas = new Map<Mode, readonly ToolSchema[]>();
    private readonly budget: Budget | undefined;
    private readonly leftovers = new Leftovers();
    private sessionCostUsd = 0;
    private unpricedRequests = 0;
    private closing: Promise<void> | undefined;

    constructor(readonly options: SessionOptions) {
        const { registry } = options.project;
        this.model = options.model;
        this.mode = options.mode;
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
            mode: this.mode,
            contextTokens: this.conversation.state.contextTokens || estimateTokens(this.request()),
            contextLimit: model.contextTokens,
            sessionCostUsd: this.sessionCostUsd,
            unpricedRequests: this.unpricedRequests,
            allTimeCostUsd: this.options.allTimeCostUsd + this.sessionCostUsd,
        };
    }

    async *send(text: string, options: SendOptions): AsyncGenerator<AgentEvent, void> {
        const { log } = this.options.project;
        log.event("info", "user_prompt", { length: text.length });
        let turn: Turn;
        try {
            turn = await this.turn(text, options);
        } catch (error) {
            yield { type: "turn-finished", outcome: failedTurn(error) };
            return;
        }
        for await (const event of runTurn(turn)) {
            if (event.type === "usage-reported") this.count(event.costUsd);
            yield event;
        }
    }

    noteCommand(name: string, argumentsText: string): void {
        if (!this.conversation.isOpen) return;
        const { edges } = this.options;
        const entry = { id: edges.id(), at: edges.now(), name, argumentsText };
        this.conversation.record({ type: "entry_added", entry: { kind: "command", ...entry } });
    }

    /** Leaves this conversation for a new one; the shell stays. */
    async startNew(): Promise<void> {
        await this.conversation.close(this.options.edges.now());
        this.conversation = this.newConversation();
    }

    /** Leaves this conversation for one that was held before, and for its model. */
    async resume(id: string): Promise<readonly string[]> {
        const { project, edges } = this.options;
        const { conversation, model, warnings } = await nextConversation(project, id);
        const before = this.conversation;
        this.conversation = conversation;
        if (model) this.model = model;
        await before.close(edges.now());
        return warnings;
    }

    close(): Promise<void> {
        this.closing ??= this.closeAll();
        return this.closing;
    }

    private async closeAll(): Promise<void> {
        const { project, edges } = this.options;
        const endings = await Promise.allSettled([
            this.conversation.close(edges.now()),
            project.shell.dispose(),
            project.ledger.summarize(),
        ]);
        for (const ending of endings) {
            if (ending.status === "rejected") {
                project.log.event("error", "close_failed", { error: String(ending.reason) });
            }
        }
        project.log.event("info", "app_exit");
    }

    private newConversation(): ConversationLog {
        return newConversation(this.options.project, () => ({
            provider: this.model.provider.id,
            model: this.model.model.id,
        }));
    }

    private async turn(text: string, { approver, signal }: SendOptions): Promise<Turn> {
        const { project, connections, runGrants, limits, edges, surroundings } = this.options;
        await project.recovered;
        const connection = await connections.to(this.model.provider);
        await this.conversation.begin();
        this.noteModel();
        this.noteRoot();
        const { state } = this.conversation;
        const { content, context } = userContent({
            text,
            mode: this.mode,
            ...(state.messages.length === 0 ? { surroundings } : {}),
            reminders: state.reminders.values(),
            notes: [
                ...state.notes,
                ...(this.mode === "agent"
                    ? this.leftovers.notes(project.staging(this.conversation.id))
                    : []),
            ],
        });
        const { provider, model } = this.model;
        return {
            system: SYSTEM_PROMPT,
            thinking: false,
            conversation: state,
            record: (record) => this.conversation.record(withoutKeys(record, connections.keys)),
            sync: () => this.conversation.sync(),
            provider,
            model,
            connection,
            mode: this.mode,
            tools: this.tools,
            schemas: this.schemasOf(this.mode),
            workspace: project.workspace,
            shell: project.shell,
            applier: project.applier,
            staging: project.staging(this.conversation.id),
            contents: project.contents,
            permission: project.permission,
            grants: project.grants,
            runGrants,
            limits: this.remaining(limits),
            ...(this.budget ? { budget: this.budget } : {}),
            ledger: project.ledger,
            log: project.log,
            edges,
            signal,
            message: { text, content, ...(context.length > 0 ? { context } : {}) },
            ...(approver ? { approver } : {}),
        };
    }

    /** Notes in the log that another model goes on with the conversation. */
    private noteModel(): void {
        const { provider, model } = this.model;
        const { state } = this.conversation;
        if (state.provider === provider.id && state.model === model.id) return;
        const at = this.options.edges.now();
        const names = { provider: provider.id, model: model.id };
        this.conversation.record({ type: "model_changed", at, ...names });
    }

    /** Notes in the log, and tells the model, that the conversation goes on in another folder. */
    private noteRoot(): void {
        const { root } = this;
        if (this.conversation.state.root === root) return;
        this.conversation.record({ type: "root_changed", root, at: this.options.edges.now() });
    }

    private request(): ModelRequest {
        const { model } = this.model;
        return {
            model,
            system: SYSTEM_PROMPT,
            tools: this.schemasOf(this.mode),
            messages: this.conversation.state.messages,
            maxOutputTokens: model.maxOutputTokens,
            thinking: false,
            conversationId: this.conversation.id,
        };
    }

    /** The same objects each time: what is sent first must never change. */
    private schemasOf(mode: Mode): readonly ToolSchema[] {
        const known = this.schemas.get(mode);
        if (known) return known;
        const schemas = [...this.tools.values()]
            .filter(({ readOnly }) => mode === "agent" || readOnly)
            .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
        this.schemas.set(mode, schemas);
        return schemas;
    }

    /** Money is limited for the whole run, whatever the number of messages and conversations. */
    private remaining({ maxCostUsd, ...limits }: TurnLimits): TurnLimits {
        if (maxCostUsd === undefined) return limits;
        return { ...limits, maxCostUsd: maxCostUsd - this.sessionCostUsd };
    }

    private count(costUsd: number | null): void {
        if (costUsd === null) this.unpricedRequests += 1;
        else this.sessionCostUsd += costUsd;
    }
}

function failedTurn(error: unknown): TurnOutcome {
    return {
        stopReason: "error",
        text: "",
        requests: 0,
        usage: {
            inputTokens: 0,
            cacheReadTokens: 0,
            cacheWriteTokens: 0,
            cacheWriteLongTokens: 0,
            outputTokens: 0,
        },
        costUsd: 0,
        error,
    };
}
