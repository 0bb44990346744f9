import { NorthError } from "../../base/north-error.js";
import { Once } from "../../base/once.js";
import { Checks } from "../../core/agent/checks.js";
import { isOffered } from "../../core/agent/calls/plan-call.js";
import { NestedRuns } from "../../core/agent/nested/run-nested.js";
import {
    type Runtime,
    type QueuedMessage,
    requestOf,
    type RequestParts,
    type Turn,
    type TurnLimits,
    type TurnProject,
    type TurnSettings,
} from "../../core/agent/turn.js";
import type { RunGrants } from "../../core/approval/policy.js";
import { SYSTEM_PROMPT } from "../../core/message/system-prompt.js";
import { modeNote, unseenDraftNotice } from "../../core/message/mode-note.js";
import type { Environment } from "../../core/message/user-content.js";
import type { ConversationLog } from "../../core/conversation/conversation-log.js";
import type { Budget } from "../../core/costs/budget.js";
import { UnfinishedFiles } from "../../core/files/notes.js";
import type { ResolvedModel } from "../../core/registry/models.js";
import { OWN_PLUGIN } from "../../core/registry/registry.js";
import { toToolSchema } from "../../core/registry/tool-schema.js";
import type { MessageQueue, SendOptions } from "../../core/session.js";
import type {
    Mode,
    ModelRequest,
    Provider,
    ThinkingChoice,
    Tool,
    ToolSchema,
} from "../../plugin/index.js";
import type { BudgetSettings } from "../../storage/config.js";
import type { AnswerCheck } from "../checks/answer-check.js";
import type { UntilCheck } from "../checks/until-check.js";
import { pauseAutomatic } from "../../core/approval/pause-automatic.js";
import { checkFinder } from "../effects/check-command.js";
import { UserMessageBuilder, type MessageOptions } from "../context/user-message-builder.js";
import { nestedLogs } from "../conversations/open-conversation.js";
import type { ProviderKeys } from "../models/login.js";
import type { Connections } from "../models/connections.js";
import type { Project } from "../project/open-project.js";
import { draftedProject, placeInMode } from "./drafted-project.js";
import { editedElsewhere } from "./edited-elsewhere.js";

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
    readonly budget: BudgetSettings;
    /** True in the chat, false in print mode. */
    readonly isInteractive: boolean;
    readonly runGrants: RunGrants;
    /** Requirements for the last answer. */
    readonly answer?: AnswerCheck | undefined;
    readonly checkCommands?: readonly string[] | undefined;
    readonly runtime: Runtime;
    readonly surroundings: Environment;
    readonly allTimeCostUsd: number;
    /** Called in parallel with each request, and awaited before its reply is used. */
    onRequest?(): Promise<void>;
    /** Warnings since the last call. */
    warnings(): readonly string[];
    rememberModel(model: ResolvedModel): Promise<void>;
}

/** What a conversation uses, and the user may change between turns. */
export interface SessionState {
    readonly conversation: ConversationLog;
    readonly model: ResolvedModel;
    readonly mode: Mode;
    readonly thinking: ThinkingChoice;
    /** Must pass before a turn ends. */
    readonly until?: UntilCheck | undefined;
    readonly budget: Budget | undefined;
    readonly sessionCostUsd: number;
}

type Extras = Pick<MessageOptions, "context" | "attached" | "notes">;
type Compose = (
    text: string,
    typed: string,
    extras: Extras
) => Promise<Omit<QueuedMessage, "take">>;

/** Makes the turns of a session, and the parts of its next request. */
export class TurnFactory {
    readonly messages: UserMessageBuilder;
    private readonly tools: ReadonlyMap<string, Tool>;
    private readonly schemas = new Map<Mode, readonly ToolSchema[]>();
    private readonly leftovers = new UnfinishedFiles();
    private readonly once = new Once();

    constructor(
        private readonly options: SessionOptions,
        private readonly session: SessionState
    ) {
        const { project, surroundings, start } = options;
        const { registry } = project;
        this.messages = new UserMessageBuilder(project, surroundings, start.files);
        this.tools = new Map([...registry.tools].map(([name, { value }]) => [name, value]));
    }

    request(): ModelRequest {
        return requestOf(this.parts);
    }

    /** A turn with a message, and notices for the user. Rejects with `refused-by-check`. */
    async make(
        text: string,
        { approver, signal, typed, queue, attached, context = [] }: SendOptions
    ): Promise<{ readonly turn: Turn; readonly notices: readonly string[] }> {
        const { options, session } = this;
        const { project, connections, runGrants, runtime } = options;
        this.messages.prepare(session.conversation.state);
        await project.recovered;
        runGrants.hookFiles = await project.stores.grants.hookFiles();
        const checked = await this.check(text, signal);
        // Taken together: the user may change mode and model until the turn is made.
        const { conversation, mode } = session;
        const { provider } = session.model;
        const { parts } = this;
        const connection = await connections.to(provider);
        await conversation.begin();
        this.noteWhatChanged(provider, parts.model);
        runGrants.pausedBy = undefined;
        const { state } = conversation;
        const compose: Compose = async (text, typed, extras) => {
            const { broughtBy, ...composed } = await this.messages.compose({
                ...{ ...extras, text, typed, mode, state, approver, signal },
                workspace: placeInMode(project, mode, state).workspace,
                model: parts.model.info,
                notes: [...extras.notes, ...this.ownNotes(mode)],
            });
            if (broughtBy === undefined) return composed;
            const grants = await project.stores.grants.snapshot();
            const paused = pauseAutomatic(broughtBy, runGrants, grants) ?? [];
            return { ...composed, notices: composed.notices.concat(paused) };
        };
        const inMode = (own: TurnProject) => (mode === "draft" ? draftedProject(own, state) : own);
        const extras = { context, attached, notes: checked.notes };
        const { message, notices } = await compose(text, typed ?? text, extras);
        const unseen = unseenDraftNotice(mode, state);
        const told = unseen !== undefined && this.once.first(unseen) ? [unseen] : [];
        const nested: NestedRuns = new NestedRuns(() => turn, nestedLogs(project, conversation));
        const turn: Turn = {
            conversation,
            model: {
                ...parts.model,
                ...{ provider, connection, ledger: project.stores.ledger, budget: session.budget },
            },
            project: inMode({
                ...turnProject(project, signal),
                readChecks: checkFinder(options.checkCommands),
                editedElsewhere: (paths) => editedElsewhere(paths, conversation, options),
                contextFor: (paths) => project.context.forFiles(paths, state.context.parts, signal),
            }),
            user: approver && {
                approver,
                nextMessage: queue && (() => this.queued(queue, compose, turn)),
            },
            settings: { ...options.settings, mode, limits: this.limits },
            request: { ...parts.request, message, tools: this.tools },
            checks: checked.checks,
            staging: project.stores.staging(conversation.id),
            once: this.once,
            nested: (...run) => nested.run(...run),
            ...{ runGrants, runtime, log: project.log, signal },
        };
        return { turn, notices: [...checked.notices, ...told, ...notices] };
    }

    /** The checks of a turn, their notes for its message, and notices for the user. */
    private async check(text: string, signal: AbortSignal) {
        const { project, answer } = this.options;
        const { conversation, mode, until } = this.session;
        until?.beginTurn();
        const goals = [until, answer].flatMap((value) => value ?? []);
        const { workspace, contained } = placeInMode(project, mode, conversation.state);
        const current = [
            ...(await project.checks(contained)),
            ...goals.map((value) => ({ plugin: OWN_PLUGIN, value })),
        ];
        if (current.length === 0) return { checks: undefined, notes: [], notices: [] };
        const { log } = project;
        const entries = () => conversation.state.entries;
        const context = { workspace, conversationId: conversation.id, mode, entries };
        const maxContinuations = until && until.goal.maxAttempts + (answer ? 1 : 0);
        const checks = new Checks({
            checks: current,
            ...{ context, signal, log, maxContinuations },
            once: this.once,
        });
        const { deny, notes } = await checks.beforeMessage(text);
        if (deny === undefined) return { checks, notes, notices: checks.takeProblems() };
        throw new NorthError("refused-by-check", `Not sent. ${deny}`);
    }

    /** Logs a changed model, thinking setting or folder. */
    private noteWhatChanged(provider: Provider, { info, thinking }: RequestParts["model"]): void {
        const { conversation } = this.session;
        const { root } = this.options.project;
        const { state } = conversation;
        const at = this.options.runtime.now();
        const names = { provider: provider.id, model: info.id };
        if (state.provider !== names.provider || state.model !== names.model) {
            conversation.record({ type: "model_changed", at, ...names });
        }
        if (state.thinking.on !== thinking.on || state.thinking.effort !== thinking.effort) {
            conversation.record({ ...thinking, type: "thinking_changed", at });
        }
        // The model learns of it too.
        if (state.root !== root) conversation.record({ type: "root_changed", root, at });
    }

    /** What the model learns of the mode, and of files it left unfinished. */
    private ownNotes(mode: Mode): readonly string[] {
        const { id, state } = this.session.conversation;
        const note = modeNote(mode, state);
        const staging = this.options.project.stores.staging(id);
        const unfinished = mode === "ask" ? [] : this.leftovers.notes(staging);
        return note === undefined ? unfinished : [note, ...unfinished];
    }

    /** The next queued message. One for another mode or model waits for its own turn. */
    private async queued(
        queue: MessageQueue,
        compose: Compose,
        { settings, model, checks }: Turn
    ): Promise<QueuedMessage | undefined> {
        const input = queue.peek();
        const { session } = this;
        const isSame = settings.mode === session.mode && model.info === session.model.model;
        if (input === undefined || !isSame) return undefined;

        // A refused message waits for its own turn, which says so.
        const { deny, notes = [] } = (await checks?.beforeMessage(input.text)) ?? {};
        if (deny !== undefined) return undefined;
        const composed = await compose(input.text, input.typed, { context: [], notes });
        return { ...composed, take: () => queue.take(input) };
    }

    private get parts(): RequestParts {
        const { conversation, model, thinking, mode } = this.session;
        return {
            conversation,
            model: { info: model.model, thinking },
            request: {
                system: SYSTEM_PROMPT,
                schemas: this.schemasOf(mode),
                hasPauses: this.options.isInteractive,
            },
        };
    }

    /** Cached: the start of a request must never change. */
    private schemasOf(mode: Mode): readonly ToolSchema[] {
        const known = this.schemas.get(mode);
        if (known) return known;
        const schemas = [...this.tools.values()]
            .filter((tool) => isOffered(tool, mode, this.options.project.contained))
            .map(toToolSchema);
        this.schemas.set(mode, schemas);
        return schemas;
    }

    /** The cost limit covers the whole run, across messages and conversations. */
    private get limits(): TurnLimits {
        const { limits } = this.options.settings;
        if (limits.maxCostUsd === undefined) return limits;
        return { ...limits, maxCostUsd: limits.maxCostUsd - this.session.sessionCostUsd };
    }
}

/** The project as one turn uses it. */
export function turnProject(project: Project, signal: AbortSignal): TurnProject {
    const { workspace, secrets, shell, contained, applier, storeOutput } = project;
    const { contents, grants } = project.stores;
    return {
        secrets,
        ...{
            workspace,
            shell,
            jobs: shell.jobs,
            contained,
            applier,
            contents,
            grants,
            storeOutput,
        },
        forecast: (command, folder) => project.forecast(command, folder, signal),
        readChecks: checkFinder(),
    };
}
