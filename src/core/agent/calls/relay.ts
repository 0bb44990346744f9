import { authorize, type Outbox, type PendingQuestion } from "./authorize.js";
import { createChannel } from "./channel.js";
import type { AgentEvent } from "../events.js";
import type { Turn } from "../turn/turn.js";

/**
 * Runs work and yields what it tells. Its questions are asked from here, when all that came before
 * them has been pulled, so that no prompt stands between lines of output.
 */
export async function* relayed(
    turn: Turn,
    work: (outbox: Outbox) => Promise<void>
): AsyncGenerator<AgentEvent, void> {
    const channel = createChannel<AgentEvent | PendingQuestion>();
    const running = work(channel.push).finally(channel.end);
    // It is awaited below; until then a failure must not count as unhandled.
    running.catch(() => {});
    for await (const item of channel) {
        if (item.type !== "question") yield item;
        else item.answer(await ask(turn, item));
    }
    await running;
}

async function ask(turn: Turn, { request }: PendingQuestion) {
    if (!turn.approver) return { kind: "deny" as const };
    return turn.approver.decide(request, turn.signal);
}

/** Lets the workspace ask in the name of a call while that is being carried out. */
export async function withPermission(
    turn: Turn,
    callId: string,
    outbox: Outbox,
    work: () => Promise<void>
): Promise<void> {
    turn.permission.ask = async (question) => {
        const decision = await authorize(turn, { kind: "ask", callId, question }, outbox);
        return decision.kind === "approve";
    };
    try {
        await work();
    } finally {
        turn.permission.ask = async () => false;
    }
}
