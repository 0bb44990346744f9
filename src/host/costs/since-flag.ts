import { Errors, Flags } from "@oclif/core";

const HOUR = 3_600_000;
const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: 24 * HOUR, w: 7 * 24 * HOUR };

/** A date, or how long ago: `2026-11-01`, `12h`, `7d`, `2w`. Parses to milliseconds since 1970. */
export const sinceFlag = Flags.custom<number>({
    description: "Count only from a date or time ago: 2026-11-01, 12h, 7d, 2w.",
    helpValue: "DATE",
    parse: async (text) => {
        const [, amount, unit = ""] = /^(\d+)([hdw])$/.exec(text) ?? [];
        const length = UNITS[unit];
        if (amount !== undefined && length !== undefined) {
            return Date.now() - Number(amount) * length;
        }
        const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
        const date = isDate ? new Date(`${text}T00:00:00`).getTime() : Number.NaN;
        if (Number.isFinite(date)) return date;
        throw new Errors.CLIError(
            `Expected a date like 2026-11-01, or 12h, 7d or 2w, but received: ${text}`
        );
    },
});
