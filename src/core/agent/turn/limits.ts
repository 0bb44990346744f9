import { sumUsd } from "../../../base/money.js";
import { NorthError } from "../../../base/north-error.js";
import type { ToolCallPart, ToolResultEntry, Usage } from "../../../plugin/index.js";
import { NO_USAGE } from "../../costs/price.js";
import type { AgentEvent, TurnOutcome, TurnStopReason } from "../events.js";
import type { ReplyDraft } from "../reply/reply-draft.js";
import type { Turn } from "../turn.js";

export class Totals {
    requests = 0;
    text = "";
    knownCostUsd = 0;
    readonly paths = new Set<string>();
    private isPriced = true;
    private readonly usage = { ...NO_USAGE };

    add({ usage, costUsd, files }: ReplyDraft): void {
        for (const { kind, path } of files.all) if (kind === "staged") this.paths.add(path);
        this.count(usage, costUsd);
    }

    count(usage: Usage, costUsd: number | null): void {
        if (costUsd === null) this.isPriced = false;
        else this.knownCostUsd = sumUsd([this.knownCostUsd, costUsd]);
        for (const field of Object.keys(this.usage) as (keyof Usage)[]) {
            this.usage[field] += usage[field] ?? 0;
        }
    }

    outcome(stopReason: TurnStopReason, error?: unknown): TurnOutcome {
        return {
            stopReason,
            text: this.text,
            requests: this.requests,
            usage: this.usage,
            costUsd: this.isPriced ? this.knownCostUsd : null,
            error,
        };
    }
}

export const MAX_TURNS = "max-turns";

export function limitReached(
    { settings: { limits } }: Turn,
    totals: Totals
): TurnStopReason | undefined {
    const { maxTurns = Infinity, maxCostUsd = Infinity, costLeftUsd } = limits;
    if (totals.requests >= maxTurns) return MAX_TURNS;
    const isSpent = totals.knownCostUsd >= maxCostUsd || (costLeftUsd?.() ?? Infinity) <= 0;
    return isSpent ? "max-cost" : undefined;
}

/** Asks whether to continue after every `askAfterRequests` replies. Throws `max-turns` on a no. */
export async function askAfter(turn: Turn, replies: number): Promise<void> {
    const { askAfterRequests = Infinity } = turn.settings.limits;
    if (replies === 0 || replies % askAfterRequests !== 0) return;
    const sentence = `The model has answered ${replies} times in this turn.`;
    if (await askToContinue(turn, sentence, MAX_TURNS)) return;
    throw new NorthError(MAX_TURNS, `Stopped. ${sentence}`, [
        "`askAfterRequests` in config.json sets when North asks.",
    ]);
}

export const BUDGET_SPENT = "budget-spent";

/** Throws `budget-spent` unless the budget or the user allows another request. */
export async function* withinBudget(
    turn: Pick<Turn, "model" | "user" | "log" | "signal">
): AsyncGenerator<AgentEvent, void> {
    const verdict = await turn.model.budget?.check(turn.model.info);
    if (verdict?.kind === "within" && verdict.notice !== undefined) {
        yield { type: "notice", text: verdict.notice };
    }

    if (verdict?.kind !== "spent") return;
    const { sentence, nextSteps } = verdict;
    turn.log.event("info", "budget_spent", { sentence });
    if (!(await askToContinue(turn, sentence, "budget"))) {
        throw new NorthError(BUDGET_SPENT, sentence, nextSteps);
    }
    verdict.raiseLimit();
}

/** A loop: the same call with the same result `REPEATS` times among the last `WINDOW` calls. */
const [REPEATS, WINDOW] = [5, 10];

/** A vendor pauses after many searches of its own; each request that continues them is paid. */
const MAX_PAUSES = 10;

/** Differs between otherwise equal results: durations and output ids. */
const VARIABLE = /"durationMs":\d+|\boutput-\d+\b/g;

export const LOOP = "loop";

export class LoopGuard {
    private recent: { readonly signature: string; readonly intent: string }[] = [];
    private pauses = 0;

    /** Counts replies in a row that only ask for the next request. */
    noteReply({ stopReason, calls }: Pick<ReplyDraft, "stopReason" | "calls">): void {
        this.pauses = stopReason === "paused" && calls.length === 0 ? this.pauses + 1 : 0;
    }

    /** A call that changed files restarts the count of all others: their results may differ. */
    note(
        { name, input }: ToolCallPart,
        { text, content, intent }: ToolResultEntry,
        hasChanged: boolean
    ): void {
        const result = (text ?? content).replace(VARIABLE, "");
        const signature = JSON.stringify([name, input, result]);
        if (hasChanged) this.recent = this.recent.filter((one) => one.signature === signature);
        this.recent = [...this.recent, { signature, intent }].slice(-WINDOW);
    }

    /** Throws `loop` if there is one and the user does not want to continue. */
    async check(turn: Turn): Promise<void> {
        const sentence = this.found();
        if (sentence === undefined) return;
        turn.log.event("info", "loop_stopped", { sentence });
        if (!(await askToContinue(turn, sentence, LOOP))) {
            throw new NorthError(LOOP, sentence, [
                "Say what to do differently, or choose another model with /model or --model.",
            ]);
        }
        this.recent = [];
        this.pauses = 0;
    }

    private found(): string | undefined {
        if (this.pauses >= MAX_PAUSES) {
            return `The server paused its reply ${MAX_PAUSES} times in a row.`;
        }
        const repeated = this.recent.find(
            ({ signature }) =>
                this.recent.filter((other) => other.signature === signature).length >= REPEATS
        );
        return (
            repeated &&
            `The model made the same call ${REPEATS} times with the same result: ${repeated.intent}.`
        );
    }
}

/** Whether the user wants to continue a turn that North paused; `false` in print mode. */
async function askToContinue(
    { user, signal }: Pick<Turn, "user" | "signal">,
    sentence: string,
    key: string
): Promise<boolean> {
    const question = { sentence: `${sentence} Continue?`, key };
    const request = { kind: "ask", callId: "", question, isOnce: true } as const;
    const decision = await user?.approver.decide(request, signal);
    signal.throwIfAborted();
    return decision?.kind === "approve";
}
