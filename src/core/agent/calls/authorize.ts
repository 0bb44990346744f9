import type { ReviewStatus, ToolFailure } from "../../../plugin/index.js";
import { firstOf } from "../../../base/format.js";
import { gitLine } from "../../../plugin/git-changes.js";
import { type ChangeSet, shownName } from "../../../plugin/change-set.js";
import type { ApprovalRequest, Decision } from "../../approval/approver.js";
import type { ChangeMark } from "../../approval/changes.js";
import { COMMITS_KEY, hasOnlyCommits } from "../../approval/contained-repository.js";
import { grantsIn, isSameCommand, judge, keepsOnlyOutputs } from "../../approval/policy.js";
import { folderOf } from "../../approval/question-notes.js";
import { failure } from "../failure.js";
import { addEntry, type Turn } from "../turn.js";
import { NOBODY_TO_ASK, type Outlet } from "./relay.js";

/** What permissions say about a request. */
export interface Judgement {
    readonly verdict: "allow" | "ask";
    /** Of a command, relative to the root; `undefined` outside it. */
    readonly folder?: string | undefined;
    /** Where the model's changes stood before the permissions were read. */
    readonly mark?: ChangeMark | undefined;
    /** Files changed since the command was allowed; absent if it was not, `Infinity` if unknown. */
    readonly changedFiles?: number;
}

/** A decision and whether permissions or the user made it. */
export type Settlement = Decision & { readonly decidedBy: "user" | "policy" };

/** Decides by permissions, else asks the user, else denies; records, reports and remembers that. */
export async function authorize(
    turn: Turn,
    request: ApprovalRequest,
    outlet: Outlet,
    judgement?: Judgement
): Promise<Settlement> {
    const judged = judgement ?? (await judgeCall(turn, request));
    const isAllowed = judged.verdict === "allow";
    if (!isAllowed) {
        turn.log.event("info", `${request.kind}_review_shown`, { what: describeRequest(request) });
    }
    const refusal = isAllowed ? undefined : await refusedByCheck(turn, request);
    const decision = isAllowed ? APPROVE : (refusal ?? (await askUser(turn, request, outlet)));
    // These are decided elsewhere.
    if (decision.kind === "draft-first" || decision.kind === "discard") {
        return { ...decision, decidedBy: "user" };
    }
    const decidedBy = isAllowed || refusal || !turn.user ? "policy" : "user";
    if (decision.kind === "approve" && decision.remember) {
        await remember(turn, request, decision.remember, judged);
    } else if (decision.kind === "approve" && request.kind === "shell" && decidedBy === "user") {
        await renewPermission(turn, request.command, judged, judged.mark);
    }
    recordDecision(turn, request, decision, decidedBy, outlet);
    return { ...decision, decidedBy };
}

/**
 * Judges a request by the permissions. One for a command counts only until the model changes a
 * file: then it runs contained again, until the user says yes to its effects or to a real run.
 */
export async function judgeCall(turn: Turn, request: ApprovalRequest): Promise<Judgement> {
    const { runGrants } = turn.session;
    const { grants } = turn.project;
    const canAsk = turn.user !== undefined;
    if (request.kind !== "shell") {
        return { verdict: judge(request, await grants.snapshot(), runGrants, undefined, canAsk) };
    }
    const { relative, isOutside } = folderOf(turn.project.workspace.root, request.cwd);
    const folder = isOutside ? undefined : relative;
    // First of all: what changes from now on is not covered by what is decided.
    const mark = await grants.changes.mark();
    const snapshot = await grants.snapshot();
    const isMeant = isSameCommand(request.command, folder);
    const forSession = (runGrants.commands ?? []).filter(isMeant);
    const always = snapshot.allowedCommands.filter(isMeant);
    const points = [
        ...forSession.map(({ since }) => since),
        ...(await Promise.all(always.map((allowed) => grants.allowedSince(allowed)))),
    ];
    const counts = await Promise.all(points.map((point) => grants.changes.filesSince(point)));
    const changedFiles = counts.length === 0 ? undefined : Math.min(...counts);
    const isListed = changedFiles === 0;
    const listed = isListed ? snapshot : { ...snapshot, allowedCommands: [] };
    const permissions = grantsIn(turn.project.contained?.mode, listed);
    const session = isListed ? runGrants : { ...runGrants, commands: [] };
    const verdict = judge(request, permissions, session, folder, canAsk);
    return { verdict, folder, mark, changedFiles };
}

/** A yes to a command that is allowed lets its permission count again, from `since` on. */
export async function renewPermission(
    { session: { runGrants }, project: { grants } }: Turn,
    command: string,
    { folder, changedFiles }: Judgement,
    since: ChangeMark | undefined
): Promise<void> {
    if (changedFiles === undefined || folder === undefined || since === undefined) return;
    const isMeant = isSameCommand(command, folder);
    if (runGrants.commands) {
        runGrants.commands = runGrants.commands.map((allowed) =>
            isMeant(allowed) ? { ...allowed, since } : allowed
        );
    }
    await grants.renewCommand({ command, cwd: folder }, since);
}

const APPROVE: Decision = { kind: "approve" };
const DENY = { kind: "deny" } as const;

/** A check may refuse in the user's place, never approve. The first refusal counts. */
async function refusedByCheck(
    { checks, user, project }: Turn,
    request: ApprovalRequest
): Promise<Decision | undefined> {
    if (!checks || !user) return undefined;
    for (const { tools, input } of askedCalls(request, project.workspace.root)) {
        const { deny } = await checks.onEvent({ type: "permission-asked", tools, input });
        if (deny !== undefined) return { ...DENY, reason: deny };
    }
    const message = `North waits for your decision: ${describeRequest(request)}`;
    // A question does not wait for its observers.
    void checks.onEvent({ type: "waiting", message }).catch(() => {});
    return undefined;
}

/** What a question is about, in Claude Code's names of tools; one for each file. */
function askedCalls(request: ApprovalRequest, root: string) {
    switch (request.kind) {
        case "shell":
            return [{ tools: ["Bash"], input: { command: request.command } }];
        case "write":
            return request.changeSet.changes.map(({ path }) => ({
                tools: ["Edit", "MultiEdit", "Write"],
                input: { file_path: `${root}/${path}` },
            }));
        case "ask":
            return [
                {
                    tools: [request.question.key.split(":")[0] ?? ""],
                    input: { question: request.question.sentence },
                },
            ];
        default:
            return request satisfies never;
    }
}

/** Cancelling the turn at a question counts as a denial, and is recorded as one. */
async function askUser(turn: Turn, request: ApprovalRequest, outlet: Outlet) {
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

async function remember(
    turn: Turn,
    request: ApprovalRequest,
    duration: "session" | "always",
    { folder, mark: since }: Judgement
): Promise<void> {
    const { runGrants } = turn.session;
    const { grants } = turn.project;
    const isSession = duration === "session";
    switch (request.kind) {
        case "write":
            if (hasOnlyCommits(request.changeSet)) {
                if (request.changeSet.git?.isPlain) await grants.allowKey(COMMITS_KEY);
            } else if (keepsOnlyOutputs(request)) {
                const { outputKeys } = request;
                if (isSession) {
                    runGrants.allowedKeys = [...(runGrants.allowedKeys ?? []), ...outputKeys];
                } else {
                    for (const key of outputKeys) await grants.allowKey(key);
                }
            } else if (isSession) {
                runGrants.acceptEdits = true;
            } else {
                await grants.setAutomatic({ editsAutoAccept: true });
            }
            return;
        case "ask":
            return isSession ? undefined : grants.allowKey(request.question.key);
        case "shell": {
            if (folder === undefined) return;
            const allowed = { command: request.command, cwd: folder };
            if (!isSession) return grants.allowCommand(allowed, since);
            runGrants.commands = [...(runGrants.commands ?? []), { ...allowed, since }];
            return;
        }
        default:
            return request satisfies never;
    }
}

type Settled = Exclude<Decision, { readonly kind: "draft-first" | "discard" }>;

const STATUSES: Readonly<Record<Settled["kind"], ReviewStatus>> = {
    approve: "approved",
    modify: "modified",
    contained: "contained",
    deny: "denied",
};

export function recordDecision(
    turn: Turn,
    request: ApprovalRequest,
    decision: Settled,
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
    const shown = decision.kind === "approve" && decision.shown ? { shown: decision.shown } : {};
    addEntry(turn, { kind: "review", ...review, ...details, ...shown });
    outlet.emit({ type: "review-settled", ...review, ...details, ...shownOf(request) });
}

/** What a consumer shows with the decision; fields that are absent stay so. */
function shownOf(request: ApprovalRequest) {
    switch (request.kind) {
        case "ask":
            return request.isOnce ? {} : { key: request.question.key };
        case "shell": {
            const { needs, tried } = request;
            return { needs, ...(tried && { ranContained: true as const }) };
        }
        case "write": {
            const { diffs, findings, command, alwaysAsks } = request;
            return { diffs, findings, command, alwaysAsks };
        }
    }
    return request satisfies never;
}

/** Max paths listed: a command may change thousands of files. */
const MAX_NAMED = 50;

function describeRequest(request: ApprovalRequest): string {
    switch (request.kind) {
        case "shell":
            return request.command;
        case "ask":
            return request.question.sentence;
        case "write":
            return describeChanges(request.changeSet);
    }
    return request satisfies never;
}

export function describeChanges({ changes, outputs = [], git }: ChangeSet): string {
    const all = [
        ...(git?.changes ?? []).map(gitLine),
        ...changes.map(shownName),
        ...outputs.map(({ path }) => path),
    ];
    return firstOf(all, MAX_NAMED);
}
