import { createHash } from "node:crypto";

/** A vendor's rules for call ids. */
export interface IdentifierRules {
    readonly pattern: RegExp;
    /** In characters. */
    readonly maxLength: number;
}

/**
 * Converts a call id to one that the vendor accepts. A foreign id that does not fit is replaced with a digest:
 * call and result still match, different ids stay different, and an id maps to the same value in every request.
 */
export function toCallId(id: string, { pattern, maxLength }: IdentifierRules): string {
    if (id.length <= maxLength && pattern.test(id)) return id;
    const digest = createHash("sha256").update(id).digest("hex").slice(0, 32);
    const named = `call_${digest}`;
    return named.length <= maxLength ? named : digest.slice(0, maxLength);
}

/** A tool name that all vendors accept; a model may have called a tool that does not exist. */
export function toToolName(name: string): string {
    return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "_";
}
