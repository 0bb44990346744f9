import type { ApprovalRequest, AskedQuestion, Decision } from "../../approval/approver.js";
import type { AgentEvent } from "../events.js";
import { untilAborted } from "../../../base/waiting.js";
import type { Turn } from "../turn.js";

/** The reason of a denial where no question can be asked. */
export const NOBODY_TO_ASK = "print mode cannot ask for approval";

/** How work that runs in the background speaks to the consumer of the turn. */
export interface Outlet {
    tell(event: AgentEvent): void;
    /** Asks once the consumer has pulled all that was told before. Rejects when the turn is aborted. */
    ask(request: ApprovalRequest): Promise<Decision>;
    /** The same for what is no decision; absent where nobody can be asked. */
    readonly inquire?: (question: AskedQuestion) => Promise<string | undefined>;
}

/** Runs work and yields what it tells; asks from here, so no prompt stands between lines of output. */
export async function* relayed(
    turn: Turn,
    work: (outlet: Outlet) => Promise<void>
): AsyncGenerator<AgentEvent, void> {
    const { approver, signal } = turn;
    const queue: (AgentEvent | (() => Promise<void>))[] = [];
    let isOver = false;
    let wake = () => {};
    const push = (item: (typeof queue)[number]) => {
        queue.push(item);
        wake();
    };
    /** Asks from here, once all that was told before is pulled. */
    const between = <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
        const answered = new Promise<Answer>((answer, fail) =>
            push(() => ask().then(answer, fail))
        );
        return untilAborted(answered, signal);
    };
    const inquire = approver?.answer?.bind(approver);
    const running = work({
        tell: push,
        ...(inquire && { inquire: (question) => between(() => inquire(question, signal)) }),
        ask: async (request) => {
            if (!approver) {
                return { kind: "deny", reason: NOBODY_TO_ASK };
            }
            return between(() => approver.decide(request, signal));
        },
    }).finally(() => {
        isOver = true;
        wake();
    });
    // It is awaited below; until then a failure must not count as unhandled.
    running.catch(() => {});
    while (!isOver || queue.length > 0) {
        const item = queue.shift();
        if (typeof item === "function") await item();
        else if (item !== undefined) yield item;
        else await new Promise<void>((resolve) => (wake = resolve));
    }
    await running;
}
