import { groupBy } from "../../base/group-by.js";
import { firstOf } from "../../base/format.js";
import { fieldsIn, isFields } from "../../base/fields.js";
import type { FileDiff } from "../../core/diff/diff.js";
import { listsIn } from "../../core/conversation/undo.js";
import type {
    ChangedFile,
    ChangeEntry,
    DraftedEntry,
    Entry,
    ReviewEntry,
    ToolResultEntry,
} from "../../plugin/records.js";
import { draftedReview, settledAgain, type ReviewSettled } from "./call-lines.js";

type CallChange = (ChangeEntry | DraftedEntry) & { readonly callId: string };

/** The reviews of an exchange by call, as they were told live; diffs have only their counts. */
export function reviewsIn(exchange: readonly Entry[]): ReadonlyMap<string, ReviewSettled> {
    const changes = groupBy(exchange.filter(isCallChange), ({ callId }) => callId);
    const results = new Map(
        exchange.flatMap((entry) =>
            entry.kind === "tool_result" ? [[entry.callId, entry] as const] : []
        )
    );
    const reviews = new Map<string, ReviewSettled>();
    for (const [callId, made] of changes) {
        if (!made.some(({ kind }) => kind === "drafted")) continue;
        const paths = made.flatMap(({ files }) => files.map(({ path }) => path));
        const drafted = { callId, ...changedBy(made, results.get(callId)) };
        reviews.set(callId, draftedReview(drafted, firstOf(paths)));
    }
    for (const entry of exchange) {
        if (entry.kind !== "review") continue;
        const { callId } = entry;
        const made = changes.get(callId) ?? [];
        const changed = entry.subject === "write" ? changedBy(made, results.get(callId)) : {};
        const review = { ...settledReview(entry), ...changed };
        reviews.set(callId, settledAgain(reviews.get(callId), review));
    }
    return reviews;
}

function isCallChange(entry: Entry): entry is CallChange {
    return (entry.kind === "change" || entry.kind === "drafted") && entry.callId !== undefined;
}

function changedBy(
    made: readonly CallChange[],
    result: ToolResultEntry | undefined
): Pick<ReviewSettled, "diffs" | "command"> {
    const files = made.flatMap((change) => change.files);
    const git = result ? listsIn([result], "git").map(gitDiff) : [];
    const diffs = [...git, ...countedDiffs(files, result?.content)];
    const ran = git.length > 0 ? result?.intent : undefined;
    const command = made.find((change) => change.command !== undefined)?.command ?? ran;
    return {
        ...(diffs.length > 0 && { diffs }),
        ...(command !== undefined && { command }),
    };
}

function gitDiff(path: string): FileDiff {
    return { path, kind: "modified", linesAdded: 0, linesRemoved: 0, diff: "", isGit: true };
}

/** What the model was told about each file; the log is a file, so check its shape. */
function countedDiffs(files: readonly ChangedFile[], content = ""): readonly FileDiff[] {
    if (files.length === 0) return [];
    const kinds = new Map(files.map((file) => [file.path, kindOf(file)]));
    return writtenIn(fieldsIn(content)?.data).flatMap((file: unknown) => {
        if (!isFields(file)) return [];
        const { path, linesAdded, linesRemoved } = file;
        const kind = typeof path === "string" ? kinds.get(path) : undefined;
        if (typeof path !== "string" || kind === undefined) return [];
        const counts = { linesAdded: Number(linesAdded), linesRemoved: Number(linesRemoved) };
        return { path, kind, ...counts, diff: "" };
    });
}

/** The files of the first `WriteData`: each kind of tool has it in another place of its data. */
function writtenIn(data: unknown, levels = 3): readonly unknown[] {
    if (!isFields(data)) return [];
    if (data.applied !== undefined && Array.isArray(data.files)) return data.files;
    if (levels === 0) return [];
    const found = Object.values(data).map((value) => writtenIn(value, levels - 1));
    return found.find((files) => files.length > 0) ?? [];
}

function kindOf({ beforeHash, afterHash, modeBefore, modeAfter }: ChangedFile): FileDiff["kind"] {
    if (beforeHash === null && modeBefore === undefined) return "created";
    return afterHash === null && modeAfter === undefined ? "deleted" : "modified";
}

function settledReview(review: ReviewEntry): ReviewSettled {
    const { callId, subject, status, decidedBy, what, reason } = review;
    const given = reason === undefined ? {} : { reason };
    return { type: "review-settled", callId, subject, status, decidedBy, what, ...given };
}
