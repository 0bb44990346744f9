import { NorthError } from "../../../base/north-error.js";
import type { AgentEvent } from "../events.js";
import type { Turn } from "../turn.js";
import { askToContinue } from "./ask-to-continue.js";

/** The error code of a turn that ended because the budget is spent. */
export const BUDGET_SPENT = "budget-spent";

/**
 * Returns if another request may be sent: within the budget, or with the user's consent. Otherwise
 * throws `budget-spent` (always so in print mode).
 */
export async function* withinBudget(
    turn: Pick<Turn, "budget" | "model" | "log" | "approver" | "signal">
): AsyncGenerator<AgentEvent, void> {
    const verdict = await turn.budget?.check(turn.model);
    if (verdict?.kind === "within" && verdict.notice !== undefined) {
        yield { type: "notice", text: verdict.notice };
    }

    if (verdict?.kind !== "spent") return;
    const { sentence, nextSteps } = verdict;
    turn.log.event("info", "budget_spent", { sentence });
    if (!(await askToContinue(turn, sentence, "budget"))) {
        throw new NorthError(BUDGET_SPENT, sentence, nextSteps);
    }
    verdict.goOn();
}
