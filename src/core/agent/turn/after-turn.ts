import { reminder } from "../../context/reminder.js";
import type { AgentEvent } from "../events.js";
import type { Turn } from "../turn.js";

/** Asks the checks about the last answer; `true` if one of them has something to go on with. */
export async function* continuedByChecks(
    turn: Turn,
    answer: string
): AsyncGenerator<AgentEvent, boolean> {
    const { checks, edges } = turn;
    if (!checks || turn.isNested) return false;
    const { next, notes } = await checks.afterTurn(answer);
    for (const text of [...checks.takeProblems(), ...notes]) yield { type: "notice", text };
    if (next === "") return false;
    const entry = { id: edges.id(), at: edges.now(), text: reminder(next) };
    turn.record({ type: "entry_added", entry: { kind: "host_note", ...entry } });
    yield { type: "notice", text: `A check asks the model to continue: ${next.split("\n")[0]}` };
    return true;
}
