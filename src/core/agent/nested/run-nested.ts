import { attempt } from "../../../base/attempt.js";
import { isExpectedError } from "../../../base/north-error.js";
import { messageOf } from "../../../base/system-error.js";
import type { NestedOrigin, NestedRun, NestedRunEvent } from "../../../plugin/index.js";
import type { ConversationLog } from "../../conversation/conversation-log.js";
import { NO_USAGE } from "../../costs/price.js";
import type { Ledger } from "../../costs/ledger.js";
import { subAgentModel } from "../../registry/models.js";
import type { AgentEvent, TurnOutcome } from "../events.js";
import { runTurn } from "../turn/run-turn.js";
import { addEntry, type NestedWriting, type RunNested } from "../turn.js";
import { nestedModel } from "../nested-model.js";
import { type NestedParent, nestedTurn } from "./nested-turn.js";

const MAX_CONCURRENT_RUNS = 4;

/** Creates the log of a run, which is opened when the run begins. */
export type OpenNested = (
    origin: Omit<NestedOrigin, "parent">,
    model: { readonly provider: string; readonly model: string }
) => ConversationLog;

/** The nested runs of one turn, with a common concurrency limit and budget. */
export class NestedRuns {
    /** Counts what the turn and all its runs cost; the turn records its own requests here too. */
    readonly ledger: Pick<Ledger, "record"> = {
        record: (cost) => {
            this.spentUsd += cost.costUsd ?? 0;
            this.host.ledger.record(cost);
        },
    };
    private running = 0;
    private readonly waiting: (() => void)[] = [];
    private spentUsd = 0;

    constructor(
        private readonly parent: () => NestedParent,
        private readonly host: {
            readonly open: OpenNested;
            readonly ledger: Pick<Ledger, "record">;
        }
    ) {}

    readonly run: RunNested = async (options, origin, tell, writing) => {
        while (this.running >= MAX_CONCURRENT_RUNS) {
            await new Promise<void>((resolve) => this.waiting.push(resolve));
        }
        this.running += 1;
        try {
            const run = await this.runNow(options, origin, tell, writing);
            if (writing) return run;
            const { model, settings } = this.parent();
            const wasChosen = options.model !== undefined || settings.nestedModel !== undefined;
            const isRefused = run.calls === 0 && REFUSALS.has(run.problemCode);
            if (wasChosen || !isRefused || !subAgentModel(model.provider, model.info)) return run;
            // The key or gateway may not have access to the cheaper model.
            return await this.runNow({ ...options, model: model.info.id }, origin, tell);
        } finally {
            this.running -= 1;
            this.waiting.shift()?.();
        }
    };

    private readonly runNow: RunNested = async (options, origin, tell, writing) => {
        const parent = this.parent();
        parent.signal.throwIfAborted();
        let calls = 0;
        let outcome: TurnOutcome | undefined;
        const onEvent = (event: AgentEvent) => {
            if (event.type === "turn-finished") ({ outcome } = event);
            if (event.type === "usage-reported") {
                const { usage, costUsd } = event;
                tell({ usage, costUsd });
            }
            if (event.type === "tool-call-started") calls += 1;
            const nestedEvent = toNestedEvent(event);
            // A plugin's listener, whose errors must not end the run.
            if (nestedEvent) attempt(() => options.onEvent?.(nestedEvent));
        };
        let log: ConversationLog | undefined;
        const written = () => (writing && log ? { view: log.state.draft.view } : {});
        try {
            const model = nestedModel(parent, options, writing !== undefined);
            log = this.host.open(origin, { provider: parent.model.provider.id, model: model.id });
            await log.begin();
            if (writing) beginDraft(parent, log, writing);
            const { ledger } = this;
            const parts = { log, model, ledger, writing, costLeftUsd: this.costLeftUsd };
            const turn = await nestedTurn(parent, options, parts);
            try {
                for await (const event of runTurn(turn)) onEvent(event);
            } finally {
                // Only its changes are merged; the next command may build the rest again.
                await (await turn.project.draft?.outputs())?.release();
            }
        } catch (error) {
            parent.signal.throwIfAborted();
            return { ...FAILED_RUN, calls, ...failureOf(error), ...written() };
        } finally {
            await log?.close(parent.runtime.now()).catch((error: unknown) => {
                parent.log.event("error", "nested_log_not_closed", { error: String(error) });
            });
        }
        parent.signal.throwIfAborted();
        if (!outcome) return { ...FAILED_RUN, calls, problem: "It ended without an outcome." };
        const { text, stopReason, usage, costUsd, error } = outcome;
        return { text, stopReason, calls, usage, costUsd, ...failureOf(error), ...written() };
    };

    private readonly costLeftUsd = (): number => {
        const { maxCostUsd = Infinity } = this.parent().settings.limits;
        return maxCostUsd - this.spentUsd;
    };
}

/** Starts a run's draft with what it must see, so that its log alone says what it made. */
function beginDraft(
    { runtime }: NestedParent,
    conversation: ConversationLog,
    { base }: NestedWriting
): void {
    if (base.size === 0) return;
    addEntry({ conversation, runtime }, { kind: "drafted", files: [...base.values()] });
}

/** How vendors report a model that is unknown, or unavailable for this key. */
const REFUSALS: ReadonlySet<string | undefined> = new Set(["invalid-request", "authentication"]);

function toNestedEvent(event: AgentEvent): NestedRunEvent | undefined {
    switch (event.type) {
        case "usage-reported":
            return { type: "cost", costUsd: event.costUsd };
        case "web-search":
            return event;
        case "tool-call-started":
            return { type: "call", tool: event.name, intent: event.intent };
        case "notice":
            return { type: "notice", text: event.text };
        case "retry-scheduled":
            return { type: "notice", text: event.reason };
        default:
            return undefined;
    }
}

const FAILED_RUN: Omit<NestedRun, "calls"> = {
    text: "",
    stopReason: "error",
    usage: NO_USAGE,
    costUsd: 0,
};

function failureOf(error: unknown): Pick<NestedRun, "problem" | "problemCode"> {
    if (error === undefined) return {};
    const problem = messageOf(error);
    return isExpectedError(error) ? { problem, problemCode: error.code } : { problem };
}
