import type { AllowedCommand, ChangeSet, ContainmentMode, Tool } from "../../plugin/index.js";
import { nameRunLater } from "../../plugin/runs-later.js";
import type { ApprovalRequest, RequestOf } from "./approver.js";
import type { ChangeMark } from "./changes.js";
import { COMMITS_KEY, hasOnlyCommits } from "./contained-repository.js";
import type { GrantSnapshot } from "./grants.js";

/** A command that is allowed until North quits, or until the model changes a file. */
interface SessionCommand extends AllowedCommand {
    readonly since?: ChangeMark | undefined;
}

/** What is allowed until North quits: by the command line, an answer, or `/auto`. */
export interface RunGrants {
    acceptEdits: boolean;
    approveShell: boolean;
    commands?: readonly SessionCommand[];
    /** The tool that brought in outside content: no command is automatic until the turn ends. */
    pausedBy?: string | undefined;
    /** Keys that questions need not be asked about: `host:registry.example`. */
    allowedKeys?: readonly string[];
    /** Paths that hooks run or read, relative to the root. */
    hookFiles?: ReadonlySet<string>;
    /** The root is not the user's own project, so no edit is automatic, whatever was allowed. */
    readonly asksForEdits?: boolean;
    /** Why nothing is automatic, whatever was allowed: the machine's policy. */
    readonly noAutomatic?: string | undefined;
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
            if (request.alwaysAsks ?? whyAlwaysAsked(request.changeSet, run)) return "ask";
            if (!isCommitAllowed(request.changeSet, grants)) return "ask";
            if (grants.editsAutoAccept || run.acceptEdits) return "allow";
            return hasOnlyCommits(request.changeSet) || areKept(request, grants, run)
                ? "allow"
                : "ask";
        case "shell": {
            if (request.mustAsk) return "ask";
            const isListed = [...grants.allowedCommands, ...(run.commands ?? [])].some(
                isSameCommand(request.command, folder)
            );
            const isAutomatic =
                run.pausedBy === undefined &&
                run.noAutomatic === undefined &&
                (grants.shellAutoApprove || run.approveShell);
            // Approving all commands of a run that cannot ask includes these.
            const isCovered = request.consequences.length === 0 || (run.approveShell && !canAsk);
            return isListed || (isAutomatic && isCovered) ? "allow" : "ask";
        }
        case "ask":
            if (request.isOnce) return "ask";
            return isAllowedKey(request.question.key, [
                ...grants.allowedKeys,
                ...(run.allowedKeys ?? []),
            ])
                ? "allow"
                : "ask";
        default:
            return request satisfies never;
    }
}

/** Where the whole machine is a container for it, commands are automatic. */
export function grantsIn(mode: ContainmentMode | undefined, grants: GrantSnapshot): GrantSnapshot {
    return mode === "external" ? { ...grants, shellAutoApprove: true } : grants;
}

/** Automatic edits do not cover commits: those are made in the user's name, for others to read. */
function isCommitAllowed({ git }: ChangeSet, { allowedKeys }: GrantSnapshot): boolean {
    return git === undefined || (git.isPlain && allowedKeys.includes(COMMITS_KEY));
}

/** Whether this command may leave what it left again, and changed nothing else. */
function areKept(request: RequestOf<"write">, grants: GrantSnapshot, run: RunGrants): boolean {
    const allowed = new Set([...grants.allowedKeys, ...(run.allowedKeys ?? [])]);
    return keepsOnlyOutputs(request) && request.outputKeys.every((key) => allowed.has(key));
}

/** Whether a command left files where git ignores them and changed no others. */
export function keepsOnlyOutputs(
    request: RequestOf<"write">
): request is RequestOf<"write"> & { readonly outputKeys: readonly string[] } {
    const { outputKeys = [], changeSet } = request;
    return outputKeys.length > 0 && changeSet.changes.length === 0;
}

/** What a permission for a host is stored as. */
export function hostKey(host: string): string {
    return `host:${host}`;
}

/** A host that commands may reach may be reached by each tool, whose keys begin with its name. */
function isAllowedKey(key: string, allowed: readonly string[]): boolean {
    const host = /^[^:]*:(host:.*)$/s.exec(key)?.[1];
    return allowed.includes(key) || (host !== undefined && allowed.includes(host));
}

/** Whether an allowed command is this one: as a whole, and in the same folder. */
export function isSameCommand(command: string, folder: string | undefined) {
    return (allowed: AllowedCommand): boolean =>
        allowed.command === command && allowed.cwd === folder;
}

/** Why a change is asked about regardless of automatic approvals; `undefined` if it is not. */
export function whyAlwaysAsked(
    { changes, outputs = [] }: ChangeSet,
    { asksForEdits = false, noAutomatic, hookFiles = new Set() }: RunGrants
): string | undefined {
    const run = changes.flatMap((change) => {
        const { path, realPath = path } = change;
        const named = [path, realPath].find((name) => hookFiles.has(name));
        return nameRunLater(change) ?? named ?? [];
    });
    const isLeft = (file: string) => outputs.some((output) => file.startsWith(output.path));
    const [first, ...others] = [...run, ...[...hookFiles].filter(isLeft)];
    if (first !== undefined) {
        const control = others.length > 0 ? `and ${others.length} more control` : "controls";
        return `Always asks: ${first} ${control} what other programs run.`;
    }
    if (noAutomatic !== undefined) return `Always asks: ${noAutomatic}.`;
    return asksForEdits ? "Always asks: this folder is not your own project." : undefined;
}

/** Whether a tool can be used where nobody can be asked. */
export function needsNoQuestion({ approval }: Tool): boolean {
    return approval === "none" || approval === "shell";
}
