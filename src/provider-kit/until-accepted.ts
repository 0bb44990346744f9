import type { ModelEvent } from "../plugin/index.js";

/**
 * The first attempt that is not refused for a reason that can be conceded. `concede` changes what
 * the next attempt asks for and says whether it did; once an answer has begun nothing is repeated.
 * Not a retry: the same request is never sent twice.
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
