import { sumUsd } from "../../base/money.js";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { Once } from "../../base/once.js";
import type {
    ContextUsage,
    Mode,
    ShellOutcome,
    ShellRunOptions,
    SlashCommand,
    SlashServices,
    ThinkingChoice,
    Tier,
    Tool,
} from "../../plugin/index.js";
import { untilAborted, within } from "../../base/waiting.js";
import type { AgentEvent, TurnOutcome } from "../../core/agent/events.js";
import { endingOf } from "../../core/agent/turn/ending.js";
import { Totals } from "../../core/agent/turn/limits.js";
import { runTurn } from "../../core/agent/turn/run-turn.js";
import {
    addEntry,
    requestOf,
    type RequestParts,
    type Runtime,
    type SessionMemory,
    type Turn,
    type TurnSettings,
} from "../../core/agent/turn.js";
import type { RunGrants } from "../../core/approval/policy.js";
import { UnfinishedFiles } from "../../core/files/notes.js";
import type { Environment } from "../../core/message/user-content.js";
import type { BudgetSettings } from "../../storage/config.js";
import type { Policy } from "../../storage/policy.js";
import type { AnswerCheck } from "../checks/answer-check.js";
import { UserMessageBuilder } from "../context/user-message-builder.js";
import type { Connections } from "../models/connections.js";
import type { ProviderKeys } from "../models/login.js";
import type { Project } from "../project/open-project.js";
import { placeInMode } from "./drafted-project.js";
import { RequestStarts } from "./request-start.js";
import { shownTokens } from "../../core/message/estimate.js";
import { contextUsage } from "../../core/message/usage.js";
import type { ConversationLog } from "../../core/conversation/conversation-log.js";
import type { CommandEntry, Entry } from "../../plugin/records.js";
import type { Budget } from "../../core/costs/budget.js";
import type { ResolvedModel } from "../../core/registry/models.js";
import { type Registry, valuesOf } from "../../core/registry/registry.js";
import { thinkingWord } from "../../core/registry/thinking.js";
import type { SendOptions, Session, SessionStatus } from "../../core/session.js";
import type { UntilCheck } from "../checks/until-check.js";
import { newConversation, nextConversation } from "../conversations/open-conversation.js";
import { createBudget } from "../costs/budget.js";
import { ownCommandNote } from "./own-command-note.js";

/** What a session starts with; the user may change it later. */
interface SessionStart {
    readonly model: ResolvedModel;
    readonly mode: Mode;
    readonly thinking: ThinkingChoice;
    /** The conversation to resume; a new one if absent. */
    readonly conversation?: ConversationLog | undefined;
    /** Absolute paths of files to attach to the first message. */
    readonly files: readonly string[];
}

export interface SessionOptions {
    readonly project: Project;
    readonly connections: Connections;
    readonly keys: ProviderKeys;
    readonly start: SessionStart;
    readonly settings: Omit<TurnSettings, "mode" | "isNested">;
    /** What continues a turn when its model is overloaded, in this order. */
    readonly fallbackModels: readonly ResolvedModel[];
    readonly budget: BudgetSettings;
    readonly tier?: Tier | undefined;
    /** True in the chat, false in print mode. */
    readonly isInteractive: boolean;
    readonly runGrants: RunGrants;
    /** Requirements for the last answer. */
    readonly answer?: AnswerCheck | undefined;
    /** The administrator's rules for this machine. */
    readonly policy?: Policy | undefined;
    readonly runtime: Runtime;
    readonly surroundings: Environment;
    readonly spentBefore: SessionStatus["allTime"];
    /** Called in parallel with each request, and awaited before its reply is used. */
    onRequest?(): Promise<void>;
    /** Warnings since the last call. */
    warnings(): readonly string[];
    rememberModel(model: ResolvedModel): Promise<void>;
}

export interface PreparedTurn {
    readonly turn: Turn;
    readonly notices: readonly string[];
}

/** What is made from a session, by modules that know it. */
interface Makers {
    makeTurn(session: HostSession, text: string, options: SendOptions): Promise<PreparedTurn>;
    /** Tells the checks that it ends, if they were told that it began. */
    tellEnd(session: HostSession): Promise<void>;
    /** What slash commands may do with it. */
    servicesOf(session: HostSession): SlashServices;
}

/** One project and one conversation at a time, as driven by chat, editors and print mode. */
export class HostSession implements Session {
    model: ResolvedModel;
    mode: Mode;
    thinking: ThinkingChoice;
    /** Must pass before a turn ends. */
    until: UntilCheck | undefined;
    conversation: ConversationLog;
    sessionCostUsd = 0;
    readonly budget: Budget | undefined;
    readonly messages: UserMessageBuilder;
    readonly tools: ReadonlyMap<string, Tool>;
    readonly leftovers = new UnfinishedFiles();
    readonly memory: SessionMemory;
    readonly slashCommands: readonly SlashCommand[];
    readonly services: SlashServices;
    private unpricedRequests = 0;
    private readonly starts: RequestStarts;
    private closing: Promise<void> | undefined;

    constructor(
        readonly options: SessionOptions,
        private readonly makers: Makers
    ) {
        const { project, start, runtime } = options;
        const { tools, slashCommands } = project.registry;
        this.starts = new RequestStarts(project, options.settings.allowsWebSearch);
        this.model = start.model;
        this.mode = start.mode;
        this.thinking = start.thinking;
        this.conversation = start.conversation ?? this.newConversation();
        this.memory = { runGrants: options.runGrants, once: new Once() };
        this.messages = new UserMessageBuilder(project, options.surroundings, start.files);
        this.tools = new Map([...tools].map(([name, { value }]) => [name, value]));
        this.budget = createBudget({
            settings: options.budget,
            hasRunLimit: options.settings.limits.maxCostUsd !== undefined,
            dataFolder: project.directories.data,
            configFile: path.join(project.directories.config, "config.json"),
            conversationId: () => this.conversationId,
            now: runtime.now,
        });
        this.slashCommands = valuesOf(slashCommands);
        this.services = makers.servicesOf(this);
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
        const { spentBefore } = this.options;
        return {
            projectName: this.options.project.name,
            modelName: model.displayName,
            thinking: thinkingWord(model, this.thinking),
            mode: this.mode,
            contextTokens: shownTokens(requestOf(this.requestParts()), this.conversation.state),
            contextLimit: model.contextTokens,
            sessionCostUsd: this.sessionCostUsd,
            unpricedRequests: this.unpricedRequests,
            allTime: {
                costUsd: spentBefore.costUsd + this.sessionCostUsd,
                unpricedRequests: spentBefore.unpricedRequests + this.unpricedRequests,
            },
        };
    }

    contextUsage(): ContextUsage {
        const { context, contextTokens } = this.conversation.state;
        const { leftOut } = this.starts.for(this.mode, this.model.model);
        const usage = contextUsage(requestOf(this.requestParts()), context, contextTokens);
        return { ...usage, ...(leftOut !== undefined && { leftOut }) };
    }

    /** What the next request is built from. */
    requestParts(info = this.model.model, mode = this.mode): RequestParts {
        const { conversation, thinking, options } = this;
        const { system, schemas } = this.starts.for(mode, info);
        const request = { system, schemas, hasPauses: options.isInteractive };
        return { conversation, model: { info, thinking }, request };
    }

    prepare(): void {
        void this.completeModel();
        this.messages.prepare(this.conversation.state);
    }

    listFiles(): Promise<readonly string[]> {
        const { options, mode, conversation } = this;
        return placeInMode(options.project, mode, conversation.state).workspace.files();
    }

    readonly watchJobs: Session["watchJobs"] = (listener) =>
        this.options.project.shell.jobs.watch(listener);

    async *send(text: string, options: SendOptions): AsyncGenerator<AgentEvent, void> {
        const { project, answer, onRequest, warnings } = this.options;
        project.log.event("info", "user_prompt", { length: text.length });
        let turn: Turn;
        try {
            await untilAborted(this.completeModel(), options.signal);
            const made = await this.makers.makeTurn(this, text, options);
            turn = made.turn;
            for (const notice of made.notices) yield { type: "notice", text: notice };
        } catch (error) {
            yield { type: "turn-finished", outcome: failedTurn(error, options.signal) };
            return;
        }
        let beside: Promise<void> | undefined;
        for await (const event of runTurn(turn)) {
            // Wait until the request is sent, which takes two turns of the event loop.
            if (event.type === "request-started") {
                beside = setImmediate()
                    .then(() => setImmediate())
                    .then(() => onRequest?.());
            } else {
                await beside;
            }
            if (event.type === "usage-reported" || event.type === "nested-usage") {
                this.count(event.costUsd);
            }
            if (event.type === "turn-finished") {
                const late = [...warnings(), ...project.context.takeNotices()];
                for (const text of late) yield { type: "notice", text };
            }
            const judged = this.until?.judge(event) ?? event;
            yield answer?.judge(judged) ?? judged;
        }
    }

    /** The model with what its server says of it, such as its window and prices. */
    async completeModel(): Promise<void> {
        const { model } = this;
        const completed = await this.options.connections.completed(model);
        // The user may have chosen another one meanwhile.
        if (this.model === model) this.model = completed;
    }

    /** Runs in the shell that the model's commands share, with nothing that contained ones left. */
    async runOwnCommand(command: string, options: ShellRunOptions): Promise<ShellOutcome> {
        const { project } = this.options;
        const outcome = await project.shell.run(command, { ...options, isOwn: true });
        await this.conversation.begin();
        const { note, whole } = ownCommandNote(command, outcome, project.secrets);
        const wholeHash = whole === undefined ? undefined : await project.storeOutput(whole);
        this.recordCommand({ ...{ name: "!", argumentsText: command, told: note }, wholeHash });
        return outcome;
    }

    noteCommand(name: string, argumentsText: string): void {
        if (this.conversation.isOpen) this.recordCommand({ name, argumentsText });
    }

    recordCommand(command: Omit<CommandEntry, "kind" | "id" | "at">): void {
        const { conversation, options } = this;
        addEntry({ conversation, runtime: options.runtime }, { kind: "command", ...command });
    }

    /** Starts a new conversation. The shell stays. */
    async startNew(): Promise<void> {
        await this.conversation.close(this.options.runtime.now());
        this.conversation = this.newConversation();
    }

    /** Switches to an earlier conversation and its model. Returns its warnings. */
    async resume(id: string): Promise<readonly string[]> {
        const { project, runtime } = this.options;
        const { conversation, model, warnings } = await nextConversation(project, id);
        const before = this.conversation;
        this.conversation = conversation;
        if (model) this.model = model;
        this.thinking = conversation.state.thinking;
        await before.close(runtime.now());
        return warnings;
    }

    /** Adds the cost of a request to this run; `null` if the price is unknown. */
    count(costUsd: number | null): void {
        if (costUsd === null) this.unpricedRequests += 1;
        else this.sessionCostUsd = sumUsd([this.sessionCostUsd, costUsd]);
    }

    close(): Promise<void> {
        this.closing ??= this.end();
        return this.closing;
    }

    /** Closes everything, even if some of it fails. */
    private async end(): Promise<void> {
        const { project, runtime } = this.options;
        await this.makers.tellEnd(this).catch(() => {});
        const endings = await Promise.allSettled([
            this.conversation.close(runtime.now()),
            project.shell.dispose(),
            project.contained.dispose(),
            project.stores.ledger.summarize(),
            project.context.close(),
            endPlugins(project.registry),
        ]);
        for (const ending of endings) {
            if (ending.status === "fulfilled") continue;
            project.log.event("error", "close_failed", { error: String(ending.reason) });
        }
        project.log.event("info", "app_exit");
    }

    private newConversation(): ConversationLog {
        return newConversation(this.options.project, () => ({
            provider: this.model.provider.id,
            model: this.model.model.id,
        }));
    }
}

/** The outcome of a turn that failed or was stopped before it started. */
function failedTurn(failure: unknown, signal: AbortSignal): TurnOutcome {
    const ending = endingOf({ signal }, failure);
    return new Totals().outcome(ending.stopReason, ending.error);
}

const CLOSE_MS = 500;

async function endPlugins({ endings }: Registry): Promise<void> {
    const ended = Promise.allSettled(endings.map(({ value: end }) => end()));
    await within(CLOSE_MS, ended, () => {});
}
