/** Events for `north.log`; never keys or file contents. Never throws. */
export interface Log {
    event(
        level: "debug" | "info" | "error",
        name: string,
        data?: { readonly [key: string]: unknown }
    ): void;
}

export const silentLog: Log = { event: () => {} };
