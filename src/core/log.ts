/** What happened, for `north.log`; never keys or file contents. Never throws. */
export interface Log {
    event(
        level: "debug" | "info" | "error",
        name: string,
        data?: { readonly [key: string]: unknown }
    ): void;
}

/** A log that keeps nothing. */
export const silentLog: Log = { event: () => {} };
