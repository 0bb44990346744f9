import type { ModelEvent } from "../plugin/index.js";

/**
 * Repeats an attempt while the vendor refuses it for a reason that `concede` can avoid: `concede`
 * adjusts the next attempt and returns whether it did. Never repeats once a reply has started. Not
 * a retry: the same request is never sent twice.
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
