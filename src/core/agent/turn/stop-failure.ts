import { NorthError } from "../../../base/north-error.js";
import { overflow } from "./context-room.js";
import type { Reply } from "../reply/stream-reply.js";

/** Describes why a reply is incomplete; `undefined` if it is complete. */
export function stopFailure({ stopReason, stopDetail }: Reply): NorthError | undefined {
    switch (stopReason) {
        case "refused": {
            const why = stopDetail === undefined ? "" : `: ${stopDetail.replace(/\.$/, "")}`;
            return new NorthError(stopReason, `The model refused to answer${why}.`, [
                "Rephrase it, or choose another model with `/model`.",
            ]);
        }
        case "max-output":
            return new NorthError(
                stopReason,
                "The answer was cut off: it reached the model's limit for one reply.",
                ["Ask the model to continue, or for less at a time."]
            );
        case "context-overflow":
            return overflow();
        case "end":
        case "paused":
        case "tool-calls":
            return undefined;
        default:
            return stopReason satisfies never;
    }
}
