import type { AllowedCommand, ChangeSet } from "../../plugin/index.js";
import type { ApprovalRequest } from "./approver.js";
import type { GrantSnapshot } from "./grants.js";

/** What is allowed until North ends: by the command line, by an answer, by `/auto`. */
export interface RunGrants {
    acceptEdits: boolean;
    approveShell: boolean;
    commands?: readonly AllowedCommand[];
    /** The tool that brought something from outside in this turn: commands are not automatic. */
    pausedBy?: string | undefined;
    /** The root is no project of the user's own: there no edit is automatic, whatever was allowed. */
    readonly asksForEdits?: boolean;
}

/** Who has to say yes: nobody any more, or the user. */
export type Verdict = "allow" | "ask";

/**
 * Whether a request is allowed without asking. A command counts only as a whole and in the folder
 * it was allowed in; `folder` is where it would run, relative to the root, `""` being the root and
 * `undefined` a folder outside of it, where nothing is remembered. A command with a consequence is
 * asked about unless it was allowed by itself.
 */
export function judge(
    request: ApprovalRequest,
    grants: GrantSnapshot,
    run: RunGrants,
    folder: string | undefined,
    canAsk = true
): Verdict {
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
            // Who approves all commands of a run that cannot ask has approved these as well.
            const isMeant = request.consequences.length === 0 || (run.approveShell && !canAsk);
            return isListed || (isAutomatic && isMeant) ? "allow" : "ask";
        }
        case "ask":
            return grants.allowedKeys.includes(request.question.key) ? "allow" : "ask";
        default:
            return request satisfies never;
    }
}

/** Why a change is asked about, whatever is automatic; `undefined` for any other. */
export function whyAlwaysAsked(
    { changes }: ChangeSet,
    { asksForEdits = false }: RunGrants
): string | undefined {
    const [first, ...others] = changes.map(({ path }) => path).filter(runsLater);
    if (first !== undefined) {
        const steers = others.length > 0 ? `and ${others.length} more steer` : "steers";
        return `Always asks: ${first} ${steers} what other programs run.`;
    }
    return asksForEdits ? "Always asks: this folder is not a project of your own." : undefined;
}

/** Files that some program runs, or takes orders from, without being asked: trust.md section 2. */
const RUNS_LATER = [
    // By their names, since `core.hooksPath` makes any folder one of hooks.
    /(?:^|\/)(?:(?:applypatch|commit|prepare-commit|sendemail)-(?:msg|validate)|(?:pre|post)-(?:applypatch|commit|merge-commit|rebase|checkout|merge|push|receive|update|auto-gc|rewrite|index-change)|update|proc-receive|push-to-checkout|reference-transaction|fsmonitor-watchman)$/i,
    /(?:^|\/)\.git(?:attributes|modules)$/i,
    /(?:^|\/)\.(?:envrc|npmrc|yarnrc|yarnrc\.yml|pnpmfile\.cjs|mcp\.json|pre-commit-config\.yaml)$/i,
    /(?:^|\/)\.(?:husky|githooks|vscode|idea|devcontainer|north|claude|cursor|codex|gemini|windsurf)\//i,
    /(?:^|\/)\.(?:github\/workflows|circleci|gitlab-ci\.d)\//i,
    /(?:^|\/)(?:AGENTS|CLAUDE|GEMINI)\.md$/i,
    /(?:^|\/)\.(?:cursorrules|windsurfrules|clinerules|gitlab-ci\.yml)$/i,
];

function runsLater(path: string): boolean {
    return RUNS_LATER.some((pattern) => pattern.test(path));
}
