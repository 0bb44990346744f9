import { isExpectedError } from "../../../base/north-error.js";
import type { ModelEvent, ModelRequest, StopReason, Usage } from "../../../plugin/index.js";
import { priceOf } from "../../costs/price.js";
import { mergedUsage, type Turn } from "../turn.js";
import { receiveReply } from "./receive-reply.js";

export async function* observedReply(
    turn: Parameters<typeof receiveReply>[0] & Pick<Turn, "edges" | "model" | "observe">,
    request: ModelRequest,
    requestId: string
): AsyncGenerator<ModelEvent, void> {
    const { edges, model, provider, signal } = turn;
    const names = { provider: provider.id, model: model.id };
    turn.observe?.({ type: "request-started", at: edges.now(), requestId, ...names });
    let usage: Usage = {};
    let stopReason: StopReason | undefined;
    let errorCode: string | undefined;
    try {
        for await (const event of receiveReply(turn, request)) {
            if (event.type === "usage") usage = mergedUsage(usage, event.usage);
            if (event.type === "stop") stopReason = event.reason;
            yield event;
        }
    } catch (error) {
        errorCode = signal.aborted ? "cancelled" : errorCodeOf(error);
        throw error;
    } finally {
        turn.observe?.({
            type: "request-finished",
            at: edges.now(),
            requestId,
            usage,
            costUsd: priceOf(usage, model),
            ...(stopReason && { stopReason }),
            ...(errorCode === undefined ? {} : { errorCode }),
        });
    }
}

/** For observers, which get no texts. */
export function errorCodeOf(error: unknown): string {
    return isExpectedError(error) ? error.code : "internal-error";
}
