import { isExpectedError } from "../../base/north-error.js";

/** What one look has found. */
export interface Check {
    /** What was looked at: `git`, `data folder`. */
    readonly name: string;
    /** `warning`: North works, with less; `broken`: something it was asked for does not work. */
    readonly status: "ok" | "warning" | "broken";
    /** What there is, in a few words. */
    readonly found: string;
    /** What to do next, unless all is well. */
    readonly next?: string;
}

/** All is well. */
export const ok = (name: string, found: string): Check => ({ name, status: "ok", found });

/** North works, with less. */
export const warning = (name: string, found: string, next: string): Check => ({
    name,
    status: "warning",
    found,
    next,
});

/** Something does not work. */
export const broken = (name: string, found: string, next: string): Check => ({
    name,
    status: "broken",
    found,
    next,
});

/** A failure that says itself what to do. Anything else is a bug and is thrown on. */
export function brokenBy(name: string, error: unknown): Check {
    if (!isExpectedError(error)) throw error;
    return broken(name, error.message, error.nextSteps.join(" "));
}
