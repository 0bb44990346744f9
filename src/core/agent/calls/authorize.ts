import type { ReviewStatus, ToolFailure } from "../../../plugin/index.js";
import { shownName } from "../../../plugin/change-set.js";
import type { ApprovalRequest, Decision } from "../../approval/approver.js";
import { judge } from "../../approval/policy.js";
import { failure } from "../failure.js";
import { newEntry, type Turn } from "../turn.js";
import { NOBODY_TO_ASK, type Outlet } from "./relay.js";

type AuthorizedDecision = Decision & { readonly decidedBy: "user" | "policy" };

/**
 * Decides by grants, else asks the user, else denies. Records and reports the decision, and
 * remembers it if the user said so.
 */
export async function authorize(
    turn: Turn,
    request: ApprovalRequest,
    outlet: Outlet
): Promise<AuthorizedDecision> {
    const folder = request.kind === "shell" ? folderOf(turn, request.cwd) : undefined;
    const isAllowed = await isGranted(turn, request);
    if (!isAllowed) {
        turn.log.event("info", `${request.kind}_review_shown`, { what: describeRequest(request) });
    }
    const decision = isAllowed ? APPROVE : await askUser(turn, request, outlet);
    if (decision.kind === "approve" && decision.remember) {
        await remember(turn, request, decision.remember, folder);
    }

    const decidedBy = isAllowed || !turn.user?.approver ? "policy" : "user";
    recordDecision(turn, request, decision, decidedBy, outlet);
    return { ...decision, decidedBy };
}

/** Whether a request is allowed without asking. */
export async function isGranted(turn: Turn, request: ApprovalRequest): Promise<boolean> {
    const grants = await turn.project.grants.snapshot();
    const folder = request.kind === "shell" ? folderOf(turn, request.cwd) : undefined;
    return (
        judge(request, grants, turn.runGrants, folder, turn.user?.approver !== undefined) ===
        "allow"
    );
}

const APPROVE: Decision = { kind: "approve" };
const DENY: Decision = { kind: "deny" };

/** Cancelling the turn at a question counts as a denial, and is recorded as one. */
async function askUser(turn: Turn, request: ApprovalRequest, outlet: Outlet): Promise<Decision> {
    try {
        return await outlet.ask(request);
    } catch (error) {
        if (turn.signal.aborted) recordDecision(turn, request, DENY, "user", outlet);
        throw error;
    }
}

/** The failure for a denial: with the user's reason, or saying that nobody could be asked. */
export function denied(
    decision: Decision,
    message: string,
    code = "denied",
    undone = "Not run"
): ToolFailure {
    const reason = decision.kind === "deny" ? decision.reason : undefined;
    if (reason === NOBODY_TO_ASK) return failure(code, `${undone}: ${reason}.`);
    return failure(code, message, reason && `Reason: ${reason}`);
}

/** The folder relative to the root, `""` for the root itself; `undefined` outside it. */
function folderOf(turn: Turn, absolute: string): string | undefined {
    const { root } = turn.project.workspace;
    if (absolute === root) return "";
    return absolute.startsWith(`${root}/`) ? absolute.slice(root.length + 1) : undefined;
}

async function remember(
    turn: Turn,
    request: ApprovalRequest,
    duration: "session" | "always",
    folder: string | undefined
): Promise<void> {
    const {
        runGrants,
        project: { grants },
    } = turn;
    const isSession = duration === "session";
    switch (request.kind) {
        case "write":
            if (isSession) runGrants.acceptEdits = true;
            else await grants.setAutomatic({ editsAutoAccept: true });
            return;
        case "ask":
            return isSession ? undefined : grants.allowKey(request.question.key);
        case "shell": {
            if (folder === undefined) return;
            const allowed = { command: request.command, cwd: folder };
            if (isSession) runGrants.commands = [...(runGrants.commands ?? []), allowed];
            else await grants.allowCommand(allowed);
            return;
        }
        default:
            return request satisfies never;
    }
}

const STATUSES: Readonly<Record<Decision["kind"], ReviewStatus>> = {
    approve: "approved",
    modify: "modified",
    deny: "denied",
};

function recordDecision(
    turn: Turn,
    request: ApprovalRequest,
    decision: Decision,
    decidedBy: "user" | "policy",
    outlet: Outlet
): void {
    const what = describeRequest(request);
    const status = STATUSES[decision.kind];
    const { callId, kind: subject } = request;
    const details = {
        ...(decision.kind === "approve" && decision.remember && { remember: decision.remember }),
        ...(decision.kind === "deny" && decision.reason && { reason: decision.reason }),
    };
    turn.log.event("info", `${subject}_review_decision`, { what, status, decidedBy });
    const review = { callId, subject, status, decidedBy, what };
    const entry = newEntry(turn.runtime, { kind: "review", ...review, ...details });
    turn.conversation.record({ type: "entry_added", entry });
    outlet.emit({ type: "review-settled", ...review, ...details, ...shownOf(request) });
}

/** What a consumer shows with the decision; fields that are absent stay so. */
function shownOf(request: ApprovalRequest) {
    if (request.kind === "ask") return {};
    if (request.kind === "shell") {
        const { needs, tried } = request;
        return {
            ...(needs !== undefined && { needs }),
            ...(tried && { ranContained: true as const }),
        };
    }
    const { diffs, findings, command, alwaysAsks } = request;
    return {
        diffs,
        ...(findings && { findings }),
        ...(command !== undefined && { command }),
        ...(alwaysAsks !== undefined && { alwaysAsks }),
    };
}

/** Max paths listed: a command may change thousands of files. */
const MAX_NAMED = 50;

function describeRequest(request: ApprovalRequest): string {
    if (request.kind === "shell") return request.command;
    if (request.kind === "ask") return request.question.key;
    const { changes } = request.changeSet;
    const names = changes.slice(0, MAX_NAMED).map(shownName);
    const more = changes.length > MAX_NAMED ? [`${changes.length - MAX_NAMED} more`] : [];
    return [...names, ...more].join(", ");
}
