import { createHash } from "node:crypto";

/** What a vendor takes as the id of a call. */
export interface IdentifierRules {
    readonly pattern: RegExp;
    /** In characters. */
    readonly maxLength: number;
}

/**
 * An id that the vendor takes. One of another vendor is replaced by a digest where this one would
 * reject it: a call and its result still agree, different ids stay different, and the same id is
 * the same in every request.
 */
export function toCallId(id: string, { pattern, maxLength }: IdentifierRules): string {
    if (id.length <= maxLength && pattern.test(id)) return id;
    const digest = createHash("sha256").update(id).digest("hex").slice(0, 32);
    const named = `call_${digest}`;
    return named.length <= maxLength ? named : digest.slice(0, maxLength);
}

/** The name of a tool as all vendors take it; a model may have called one that does not exist. */
export function toToolName(name: string): string {
    return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "_";
}
