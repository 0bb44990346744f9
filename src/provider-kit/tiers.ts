import type { ModelConnection } from "../plugin/index.js";
import { type Limits, limitsFor } from "./limits.js";

/** A flex request may wait ten minutes for its turn. */
const FLEX_LIMITS = limitsFor(300_000);

/**
 * Connects to a vendor with a flex tier: `open` is called with the usual limits, and again with
 * longer ones at the first flex request, which most users never send.
 */
export async function connectWithFlex(
    open: (limits?: Limits) => Promise<ModelConnection>,
    limits?: Limits
): Promise<ModelConnection> {
    const standard = await open(limits);
    let flex: Promise<ModelConnection> | undefined;
    const inFlex: ModelConnection["stream"] = async function* (request, options) {
        flex ??= open(limits ?? FLEX_LIMITS);
        yield* (await flex).stream(request, options);
    };
    return {
        stream: (request, options) =>
            request.tier ? inFlex(request, options) : standard.stream(request, options),
    };
}
