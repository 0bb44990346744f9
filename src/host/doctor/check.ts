import { isExpectedError } from "../../base/north-error.js";

/** The result of one check. */
export interface Check {
    /** The subject: `git`, `data folder`. */
    readonly name: string;
    /** `warning`: North works with less; `broken`: something requested does not work. */
    readonly status: "ok" | "warning" | "broken";
    /** The finding, in a few words. */
    readonly found: string;
    /** The next step, unless all is well. */
    readonly next?: string;
}

export const ok = (name: string, found: string): Check => ({ name, status: "ok", found });

export const warning = (name: string, found: string, next: string): Check => ({
    name,
    status: "warning",
    found,
    next,
});

export const broken = (name: string, found: string, next: string): Check => ({
    name,
    status: "broken",
    found,
    next,
});

/** An expected error as a finding. A bug is thrown on. */
export function brokenBy(name: string, error: unknown): Check {
    if (!isExpectedError(error)) throw error;
    return broken(name, error.message, error.nextSteps.join(" "));
}
