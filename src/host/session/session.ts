import path from "node:path";
import { setImmediate } from "node:timers/promises";
import type {
    ContextUsage,
    Mode,
    ShellOutcome,
    ShellRunOptions,
    SlashCommand,
    SlashServices,
    ThinkingChoice,
} from "../../plugin/index.js";
import { within } from "../../base/waiting.js";
import type { AgentEvent, TurnOutcome } from "../../core/agent/events.js";
import { runTurn } from "../../core/agent/turn/run-turn.js";
import { newEntry, type Turn, TurnStopped } from "../../core/agent/turn.js";
import { expectedTokens } from "../../core/message/estimate.js";
import { contextUsage } from "../../core/message/usage.js";
import type { ConversationLog } from "../../core/conversation/conversation-log.js";
import type { CommandEntry, Entry } from "../../plugin/records.js";
import type { Budget } from "../../core/costs/budget.js";
import { NO_USAGE } from "../../core/costs/price.js";
import type { ResolvedModel } from "../../core/registry/models.js";
import type { Registry } from "../../core/registry/registry.js";
import { thinkingWord } from "../../core/registry/thinking.js";
import type { SendOptions, Session, SessionStatus } from "../../core/session.js";
import type { UntilCheck } from "../checks/until-check.js";
import { newConversation, nextConversation } from "../conversations/open-conversation.js";
import { createBudget } from "../costs/budget.js";
import { ownCommandNote } from "./own-command.js";
import { type SessionState, type SessionOptions, TurnFactory } from "./make-turn.js";

/** One project and one conversation at a time, as driven by chat, editors and print mode. */
export class HostSession implements Session, SessionState {
    model: ResolvedModel;
    mode: Mode;
    thinking: ThinkingChoice;
    until: UntilCheck | undefined;
    conversation: ConversationLog;
    sessionCostUsd = 0;
    readonly budget: Budget | undefined;
    readonly turns: TurnFactory;
    readonly slashCommands: readonly SlashCommand[];
    readonly services: SlashServices;
    private unpricedRequests = 0;
    private closing: Promise<void> | undefined;

    constructor(
        readonly options: SessionOptions,
        /** What slash commands may do with a session. */
        servicesOf: (session: HostSession) => SlashServices
    ) {
        const { project, start, runtime } = options;
        this.model = start.model;
        this.mode = start.mode;
        this.thinking = start.thinking;
        this.conversation = start.conversation ?? this.newConversation();
        this.turns = new TurnFactory(options, this);
        this.budget = createBudget({
            settings: options.budget,
            hasRunLimit: options.settings.limits.maxCostUsd !== undefined,
            dataFolder: project.directories.data,
            configFile: path.join(project.directories.config, "config.json"),
            conversationId: () => this.conversationId,
            now: runtime.now,
        });
        const { slashCommands } = project.registry;
        this.slashCommands = [...slashCommands.values()].map(({ value }) => value);
        this.services = servicesOf(this);
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
            contextTokens: expectedTokens(this.turns.request(), this.conversation.state),
            contextLimit: model.contextTokens,
            sessionCostUsd: this.sessionCostUsd,
            unpricedRequests: this.unpricedRequests,
            allTimeCostUsd: this.options.allTimeCostUsd + this.sessionCostUsd,
        };
    }

    contextUsage(): ContextUsage {
        const { context, contextTokens } = this.conversation.state;
        return contextUsage(this.turns.request(), context, contextTokens);
    }

    prepare(): void {
        this.turns.messages.prepare(this.conversation.state);
    }

    listFiles(): Promise<readonly string[]> {
        return this.options.project.workspace.files();
    }

    readonly watchJobs: Session["watchJobs"] = (listener) =>
        this.options.project.shell.jobs.watch(listener);

    async *send(text: string, options: SendOptions): AsyncGenerator<AgentEvent, void> {
        const { project, answer, onRequest, warnings } = this.options;
        project.log.event("info", "user_prompt", { length: text.length });
        let turn: Turn;
        try {
            const made = await this.turns.make(text, options);
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
                for (const text of warnings()) yield { type: "notice", text };
            }
            const judged = this.until?.judge(event) ?? event;
            yield answer?.judge(judged) ?? judged;
        }
    }

    /** Runs in the shell that the model's commands share, with nothing that contained ones left. */
    async runOwnCommand(command: string, options: ShellRunOptions): Promise<ShellOutcome> {
        const { project } = this.options;
        const outcome = await project.shell.run(command, { ...options, isOwn: true });
        await this.conversation.begin();
        const { note, whole } = ownCommandNote(command, outcome, project.secrets);
        const wholeHash = whole === undefined ? undefined : await project.storeOutput(whole);
        this.recordCommand({
            ...{ name: "!", argumentsText: command, told: note },
            ...(wholeHash !== undefined && { wholeHash }),
        });
        return outcome;
    }

    noteCommand(name: string, argumentsText: string): void {
        if (this.conversation.isOpen) this.recordCommand({ name, argumentsText });
    }

    recordCommand(command: Omit<CommandEntry, "kind" | "id" | "at">): void {
        const entry = newEntry(this.options.runtime, { kind: "command", ...command });
        this.conversation.record({ type: "entry_added", entry });
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
        else this.sessionCostUsd += costUsd;
    }

    close(): Promise<void> {
        this.closing ??= this.end();
        return this.closing;
    }

    /** Closes everything, even if some of it fails. */
    private async end(): Promise<void> {
        const { project, runtime } = this.options;
        const endings = await Promise.allSettled([
            this.conversation.close(runtime.now()),
            project.shell.dispose(),
            project.contained.dispose(),
            project.stores.ledger.summarize(),
            project.context.close(),
            endPlugins(project.registry),
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
}

/** The outcome of a turn that failed or was stopped before it started. */
function failedTurn(error: unknown, { aborted, reason }: AbortSignal): TurnOutcome {
    const stopped = reason instanceof TurnStopped ? reason.stopReason : "cancelled";
    return {
        stopReason: aborted ? stopped : "error",
        text: "",
        requests: 0,
        usage: NO_USAGE,
        costUsd: 0,
        ...(aborted ? {} : { error }),
    };
}

const CLOSE_MS = 500;

async function endPlugins({ endings }: Registry): Promise<void> {
    const ended = Promise.allSettled(endings.map(({ value: end }) => end()));
    await within(CLOSE_MS, ended, () => {});
}
