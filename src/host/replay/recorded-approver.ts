import { attempt } from "../../base/attempt.js";
import type { ApprovalRequest, Approver, Decision } from "../../core/approval/approver.js";
import type { ContentStore } from "../../core/conversation/content-store.js";
import type { RecordedTurn } from "../../core/history/recorded-turns.js";
import { shownName } from "../../plugin/change-set.js";
import { isFields } from "../../base/fields.js";
import type { PlainTool, ReviewEntry, Tool, ToolResult } from "../../plugin/index.js";

interface RecordedAnswers {
    readonly contents: ContentStore;
    /** Called with the id of a call that is skipped because it cannot run contained. */
    notRun(callId: string): void;
}

/**
 * Gives the recorded answers. Nothing runs for real: a command that cannot run contained is denied.
 * Effects of a command that ran for real had no review, so they are approved.
 */
export function recordedApprover(
    turn: RecordedTurn,
    { contents, notRun }: RecordedAnswers
): Approver {
    const left = [...turn.reviews];
    const take = (request: ApprovalRequest): ReviewEntry | undefined => {
        const { callId, kind } = request;
        const isIts = (review: ReviewEntry) => review.subject === kind && review.callId === callId;
        // A streamed file gets a new id each time.
        const isOfFile = (review: ReviewEntry) =>
            review.subject === kind &&
            request.kind === "write" &&
            request.changeSet.changes
                .slice(0, 1)
                .some((change) => [change.path, shownName(change)].includes(review.what));
        const known = left.findIndex(isIts);
        const at = known >= 0 ? known : left.findIndex(isOfFile);
        return at < 0 ? undefined : left.splice(at, 1)[0];
    };
    return {
        async decide(request) {
            // What became of a draft is in the log.
            if (request.kind === "write" && request.draft) return { kind: "deny" };
            if (request.kind === "ask" && request.question.key === "draft") {
                return { kind: "approve" };
            }
            const review = take(request);
            if (request.kind === "shell") {
                if (review?.status !== "denied" && review?.status !== "contained") {
                    notRun(request.callId);
                    return { kind: "deny" };
                }
                if (!request.tried && ranContained(turn, request)) await request.tryContained?.();
                if (review.status === "contained") return { kind: "contained" };
            }
            if (review?.status === "denied" || (!review && request.kind === "ask")) {
                return { kind: "deny", reason: review?.reason };
            }
            return review?.status === "modified"
                ? modified(turn, request, contents)
                : { kind: "approve" };
        },
    };
}

/** Whether its result is that of a contained run, which the user may have asked for. */
function ranContained({ results }: RecordedTurn, { callId }: ApprovalRequest): boolean {
    return results.some((result) => result.callId === callId && result.ok);
}

/** The change set as accepted in the recording, with what was finally written. */
async function modified(
    turn: RecordedTurn,
    request: ApprovalRequest,
    contents: ContentStore
): Promise<Decision> {
    if (request.kind !== "write") return { kind: "approve" };
    const written = turn.changes.find(({ callId }) => callId === request.callId);
    const changes = await Promise.all(
        request.changeSet.changes.map(async (change) => {
            const file = written?.files.find(({ path }) => path === change.path);
            if (!file) return [];
            const { afterHash } = file;
            return { ...change, after: afterHash === null ? null : await contents.get(afterHash) };
        })
    );
    const result = turn.results.find(({ callId }) => callId === request.callId);
    const hunks = attempt((): readonly string[] => JSON.parse(result?.content ?? "").data.hunks);
    return { kind: "modify", changeSet: { changes: changes.flat() }, hunks };
}

/** The tools of a turn. Those that cannot run again return recorded results, and report it. */
export function replayedTools(
    tools: ReadonlyMap<string, Tool>,
    turn: RecordedTurn,
    notRun: (callId: string) => void
): ReadonlyMap<string, Tool> {
    const all = new Map(tools);
    for (const { name } of turn.results) {
        if (!tools.has(name)) all.set(name, recordedTool(name, turn, notRun));
    }
    return all;
}

function recordedTool(
    name: string,
    turn: RecordedTurn,
    notRun: (callId: string) => void
): PlainTool {
    const left = turn.results.filter((result) => result.name === name);
    return {
        name,
        description: "",
        inputSchema: { type: "object" },
        readOnly: true,
        approval: "none",
        intent: () => name,
        async execute(): Promise<ToolResult> {
            const result = left.shift();
            if (result) notRun(result.callId);
            const content: unknown = result && JSON.parse(result.content);
            return { ok: true, data: isFields(content) ? content.data : undefined };
        },
    };
}
