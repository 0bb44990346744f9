import type { ModelRequest } from "../plugin/index.js";

// https://platform.claude.com/docs/en/build-with-claude/prompt-caching

/** The vendor's default lifetime of 5 minutes, and the long one. */
export const CACHED = { type: "ephemeral" } as const;
const CACHED_LONG = { ...CACHED, ttl: "1h" } as const;

/** A cache breakpoint for Anthropic's models: what ends with it is cached. */
export type CacheMark = typeof CACHED | typeof CACHED_LONG;

/**
 * A 1-hour cache write costs more than a 5-minute one, but after a pause of over five minutes a
 * cheap read becomes another write. Uses the long one if it pays off at the first such pause, and
 * none for a prompt that is never extended.
 */
export function markOf({
    model,
    hasPauses: mayPause,
    isOneOff,
}: ModelRequest): CacheMark | undefined {
    if (isOneOff) return undefined;
    const { cacheRead, cacheWrite, cacheWriteLong } = model.prices ?? {};
    if (!mayPause || !cacheRead || !cacheWrite || !cacheWriteLong) return CACHED;
    return cacheWriteLong - cacheWrite < cacheWrite - cacheRead ? CACHED_LONG : CACHED;
}

const MESSAGE_END = "}]}";

/** A serialized message, which ends with a list of parts, with the mark on its last part. */
export function marked(message: Buffer, mark: CacheMark): readonly Buffer[] {
    const end = `,"cache_control":${JSON.stringify(mark)}${MESSAGE_END}`;
    return [message.subarray(0, -MESSAGE_END.length), Buffer.from(end)];
}

const EMPTY_TEXT = '"text":""}]}';

/** Whether a serialized message ends with text. Gateways take marks only on text that is not empty. */
export function endsWithText(message: Buffer): boolean {
    const end = message.subarray(-EMPTY_TEXT.length).toString();
    return end !== EMPTY_TEXT && end.endsWith(`"${MESSAGE_END}`);
}
