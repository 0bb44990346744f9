import type { ToolCallPart } from "../../plugin/index.js";
import { authorize, type PendingQuestion } from "./authorize.js";
import { createChannel } from "./channel.js";
import type { AgentEvent } from "./events.js";
import { executeCall, type SettledCall } from "./execute-call.js";
import type { TurnOutputs } from "./outputs.js";
import type { Turn } from "./turn.js";

/**
 * Carries out the calls of one reply: neighbours that only read side by side, everything else one
 * after the other. Results are stored and told in call order. Questions are asked from here, when
 * all that came before them has been pulled, so that no prompt stands between lines of output.
 */
export async function* executeCalls(
    turn: Turn,
    calls: readonly ToolCallPart[],
    outputs: TurnOutputs
): AsyncGenerator<AgentEvent, void> {
    for (const group of groups(turn, calls)) {
        const channel = createChannel<AgentEvent | PendingQuestion>();
        const running = runGroup(turn, group, outputs, channel.push).finally(channel.end);
        // It is awaited below; until then a failure must not count as unhandled.
        running.catch(() => {});
        for await (const item of channel) {
            if (item.type !== "question") yield item;
            else item.answer(await ask(turn, item));
        }
        await running;
    }
}

async function ask(turn: Turn, { request }: PendingQuestion) {
    if (!turn.approver) return { kind: "deny" as const };
    return turn.approver.decide(request, turn.signal);
}

async function runGroup(
    turn: Turn,
    calls: readonly ToolCallPart[],
    outputs: TurnOutputs,
    outbox: (item: AgentEvent | PendingQuestion) => void
): Promise<void> {
    const callId = calls[0]?.callId ?? "";
    turn.permission.ask = async (question) => {
        const decision = await authorize(turn, { kind: "ask", callId, question }, outbox);
        return decision.kind === "approve";
    };
    const running = calls.map((call) => executeCall(turn, call, outputs, outbox));
    for (const promise of running) promise.catch(() => {});
    try {
        for (const promise of running) {
            const settled = await promise;
            turn.record({ type: "entry_added", entry: settled.entry });
            outbox(finished(settled));
        }
    } finally {
        turn.permission.ask = async () => false;
    }
}

function finished({ entry, result }: SettledCall): AgentEvent {
    const { callId, name, intent, ok, summary, display, durationMs } = entry;
    return {
        type: "tool-call-finished",
        callId,
        name,
        intent,
        ok,
        durationMs,
        ...(summary === undefined ? {} : { summary }),
        ...(display === undefined ? {} : { display }),
        ...(result.ok ? {} : { error: result.error }),
    };
}

/** Neighbouring calls that may run side by side; every other call is a group of its own. */
function groups(turn: Turn, calls: readonly ToolCallPart[]): readonly (readonly ToolCallPart[])[] {
    const grouped: ToolCallPart[][] = [];
    let isOpen = false;
    for (const call of calls) {
        const tool = turn.tools.get(call.name);
        const mayShare = tool?.approval === "none" && tool.readOnly;
        if (mayShare && isOpen) grouped.at(-1)?.push(call);
        else grouped.push([call]);
        isOpen = mayShare;
    }
    return grouped;
}
