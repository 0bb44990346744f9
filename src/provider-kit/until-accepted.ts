import type { ModelEvent } from "../plugin/index.js";

/**
 * Runs attempts until one is not refused for a reason that can be conceded. `concede` adjusts the
 * next attempt and returns whether it did; nothing is repeated once a reply has started. Not a
 * retry: the same request is never sent twice.
 */
export async function* untilAccepted(
    attempt: () => AsyncIterable<ModelEvent>,
    concede: (error: unknown) => boolean
): AsyncGenerator<ModelEvent, void> {
    for (;;) {
        let hasBegun = false;
        try {
            for await (const event of attempt()) {
                hasBegun = true;
                yield event;
            }
            return;
        } catch (error) {
            if (hasBegun || !concede(error)) throw error;
        }
    }
}
