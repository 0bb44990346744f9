import type { GrantSnapshot } from "./grants.js";
import type { RunGrants } from "./policy.js";

/**
 * Security: content from outside may have been written to mislead the model, so until the turn ends
 * no command is automatic. Returns a notice if that changes anything.
 */
export function pauseAutomatic(
    name: string,
    run: RunGrants,
    { shellAutoApprove }: GrantSnapshot
): string | undefined {
    if (run.pausedBy !== undefined) return undefined;
    run.pausedBy = name;
    if (!shellAutoApprove && !run.approveShell) return undefined;
    return `Commands need approval until this turn ends: ${name} brought content from outside.`;
}
