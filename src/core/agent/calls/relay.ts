import type { ApprovalRequest, AskedQuestion, Decision } from "../../approval/approver.js";
import type { AgentEvent } from "../events.js";
import { untilAborted } from "../../../base/waiting.js";
import type { Turn } from "../turn.js";

/** The reason for a denial if nobody can be asked. */
export const NOBODY_TO_ASK = "print mode cannot ask";

/** How background work reports to the consumer of the turn. */
export interface Outlet {
    emit(event: AgentEvent): void;
    /** Asks once the consumer has pulled all earlier events. Rejects when the turn is aborted. */
    ask(request: ApprovalRequest): Promise<Decision>;
    /** The same for questions that are not decisions; absent if nobody can be asked. */
    readonly askQuestion?: (question: AskedQuestion) => Promise<string | undefined>;
}

/** Runs work and yields its events. Asks between yields, so that no prompt lands amid output. */
export async function* relayEvents(
    turn: Turn,
    work: (outlet: Outlet) => Promise<void>
): AsyncGenerator<AgentEvent, void> {
    const { user, signal } = turn;
    const approver = user?.approver;
    let queue: (AgentEvent | (() => Promise<void>))[] = [];
    let isOver = false;
    let wake = () => {};
    const push = (item: (typeof queue)[number]) => {
        queue.push(item);
        wake();
    };
    /** Queues a question behind the events told so far. */
    const enqueueQuestion = <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
        const answered = new Promise<Answer>((answer, fail) =>
            push(() => ask().then(answer, fail))
        );
        return untilAborted(answered, signal);
    };
    const inquire = approver?.answer?.bind(approver);
    const running = work({
        emit: push,
        ...(inquire && {
            askQuestion: (question) => enqueueQuestion(() => inquire(question, signal)),
        }),
        ask: async (request) => {
            if (!approver) {
                return { kind: "deny", reason: NOBODY_TO_ASK };
            }
            return enqueueQuestion(() => approver.decide(request, signal));
        },
    }).finally(() => {
        isOver = true;
        wake();
    });
    // Awaited below; until then a failure must not count as unhandled.
    running.catch(() => {});
    while (!isOver || queue.length > 0) {
        const items = queue;
        // To shift items off a long array moves all that follow.
        queue = [];
        for (const item of items) {
            if (typeof item === "function") await item();
            else yield item;
        }
        if (items.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    }
    await running;
}
