import { createHash } from "node:crypto";

/** What a vendor takes as the id of a call. */
export interface IdentifierRules {
    readonly pattern: RegExp;
    readonly maxLength: number;
}

/**
 * An id as the vendor takes it. Calls of another vendor may carry ids that this one rejects: they
 * are replaced by a digest, so that a call and its result still agree, different ids stay
 * different, and the same id is the same in every request.
 */
export function toCallId(id: string, { pattern, maxLength }: IdentifierRules): string {
    if (id.length <= maxLength && pattern.test(id)) return id;
    return `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}

/** The name of a tool as all vendors take it; a model may have called one that does not exist. */
export function toToolName(name: string): string {
    return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "_";
}
