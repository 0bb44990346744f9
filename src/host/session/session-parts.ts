import type { ContextUsage, Mode, ThinkingChoice } from "../../plugin/index.js";
import type { ResultFormat } from "../../core/agent/calls/outputs.js";
import type { Edges, TurnLimits } from "../../core/agent/turn.js";
import type { RunGrants } from "../../core/approval/policy.js";
import type { Surroundings } from "../../core/context/user-content.js";
import type { ConversationLog } from "../../core/conversation/conversation-log.js";
import type { Budget } from "../../core/costs/budget.js";
import type { ResolvedModel } from "../../core/registry/models.js";
import type { Session } from "../../core/session.js";
import type { BudgetSettings } from "../../storage/config.js";
import type { AnswerCheck } from "../checks/answer-check.js";
import type { UntilCheck } from "../checks/until-check.js";
import type { MessageComposer } from "../context/message-composer.js";
import type { Connections } from "../models/connections.js";
import type { KeyKeeper } from "../models/login.js";
import type { Project } from "../project/open-project.js";

/** What a session starts with. */
export interface SessionOptions {
    readonly project: Project;
    readonly connections: Connections;
    readonly keys: KeyKeeper;
    /** A conversation that goes on; a new one if absent. */
    readonly conversation?: ConversationLog;
    readonly model: ResolvedModel;
    readonly mode: Mode;
    readonly thinking: ThinkingChoice;
    /** A chat, not print mode. */
    readonly isInteractive: boolean;
    readonly runGrants: RunGrants;
    readonly limits: TurnLimits;
    readonly budget: BudgetSettings;
    readonly results: ResultFormat;
    /** Of nested runs, unless their tool says another. */
    readonly nestedModel?: string | undefined;
    /** What the last answer has to be. */
    readonly answer?: AnswerCheck | undefined;
    readonly checkCommands?: readonly string[] | undefined;
    readonly edges: Edges;
    readonly surroundings: Surroundings;
    /** Absolute paths of what goes with the first message. */
    readonly files: readonly string[];
    readonly allTimeCostUsd: number;
    /** Called beside each request, and awaited before its reply is used. */
    onRequest?(): Promise<void>;
    /** What was reported since it was asked last. */
    warnings(): readonly string[];
    rememberModel(model: ResolvedModel): Promise<void>;
}

/** What the parts of a session see of it, and may change. */
export interface SessionParts extends Pick<
    Session,
    "root" | "conversationId" | "entries" | "status"
> {
    readonly options: SessionOptions;
    readonly conversation: ConversationLog;
    readonly messages: MessageComposer;
    readonly budget: Budget | undefined;
    model: ResolvedModel;
    mode: Mode;
    thinking: ThinkingChoice;
    /** What has to pass before a turn ends. */
    until?: UntilCheck | undefined;
    contextUsage(): ContextUsage;
    /** Leaves this conversation for a new one; the shell stays. */
    startNew(): Promise<void>;
    /** Leaves this conversation for one that was held before, and for its model; its warnings. */
    resume(id: string): Promise<readonly string[]>;
    /** Adds a request to what this run has cost; `null` is a price that nobody knows. */
    count(costUsd: number | null): void;
}
