import type { AllowedCommand, ChangeSet } from "../../plugin/index.js";
import { nameRunLater } from "../../plugin/runs-later.js";
import type { ApprovalRequest } from "./approver.js";
import type { GrantSnapshot } from "./grants.js";

/** What is allowed until North quits: by the command line, an answer, or `/auto`. */
export interface RunGrants {
    acceptEdits: boolean;
    approveShell: boolean;
    commands?: readonly AllowedCommand[];
    /**
     * The tool that brought in outside content: for the rest of the turn, no command is automatic.
     */
    pausedBy?: string | undefined;
    /** The root is not the user's own project, so no edit is automatic, whatever was allowed. */
    readonly asksForEdits?: boolean;
}

/**
 * Whether a request is allowed without asking. A command counts only as a whole and in the folder
 * it was allowed in. `folder`: where it would run, relative to the root; `""` is the root,
 * `undefined` a folder outside it, where nothing is remembered. Automatic approval does not cover a
 * command with consequences; allowing that very command does.
 */
export function judge(
    request: ApprovalRequest,
    grants: GrantSnapshot,
    run: RunGrants,
    folder: string | undefined,
    canAsk = true
): "allow" | "ask" {
    switch (request.kind) {
        case "write":
            if (whyAlwaysAsked(request.changeSet, run) !== undefined) return "ask";
            return grants.editsAutoAccept || run.acceptEdits ? "allow" : "ask";
        case "shell": {
            if (request.mustAsk) return "ask";
            const isListed = [...grants.allowedCommands, ...(run.commands ?? [])].some(
                ({ command, cwd }) => command === request.command && cwd === folder
            );
            const isAutomatic =
                run.pausedBy === undefined && (grants.shellAutoApprove || run.approveShell);
            // Approving all commands of a run that cannot ask includes these.
            const isCovered = request.consequences.length === 0 || (run.approveShell && !canAsk);
            return isListed || (isAutomatic && isCovered) ? "allow" : "ask";
        }
        case "ask":
            return grants.allowedKeys.includes(request.question.key) ? "allow" : "ask";
        default:
            return request satisfies never;
    }
}

/** Why a change is asked about regardless of automatic approvals; `undefined` if it is not. */
export function whyAlwaysAsked(
    { changes }: ChangeSet,
    { asksForEdits = false }: RunGrants
): string | undefined {
    const [first, ...others] = changes.flatMap((change) => nameRunLater(change) ?? []);
    if (first !== undefined) {
        const control = others.length > 0 ? `and ${others.length} more control` : "controls";
        return `Always asks: ${first} ${control} what other programs run.`;
    }
    return asksForEdits ? "Always asks: this folder is not your own project." : undefined;
}
