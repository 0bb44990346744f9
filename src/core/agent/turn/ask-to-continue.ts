import type { Turn } from "../turn.js";

/** Whether the user wants a turn to continue that has stopped by itself; `false` in print mode. */
export async function askToContinue(
    { approver, signal }: Pick<Turn, "approver" | "signal">,
    sentence: string,
    key: string
): Promise<boolean> {
    const question = { sentence: `${sentence} Continue?`, key };
    const request = { kind: "ask", callId: "", question, isOnce: true } as const;
    const decision = await approver?.decide(request, signal);
    signal.throwIfAborted();
    return decision?.kind === "approve";
}
