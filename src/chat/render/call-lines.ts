import type { EventOf } from "../../core/agent/events.js";
import type { FileDiff } from "../../core/diff/diff.js";
import { safeLine, stripControls } from "../../base/safe-text.js";
import { gitText, isGitLine } from "./diff/diff-lines.js";
import type { Theme } from "../terminal/theme.js";
import { counted, firstRows, formatLineCounts } from "../../base/format.js";
import { shownName } from "../../plugin/change-set.js";

export type CallFinished = EventOf<"tool-call-finished">;
export type ReviewSettled = EventOf<"review-settled"> & {
    readonly isModified?: boolean;
    /** Not a review: the change waits in the draft. */
    readonly isDrafted?: true;
};

/** A drafted change in place of a review; `what` is shown without diffs. */
export function draftedReview(
    drafted: Pick<ReviewSettled, "callId" | "diffs" | "command">,
    what = ""
): ReviewSettled {
    const { callId, diffs, command } = drafted;
    return {
        ...{ type: "review-settled", subject: "write", status: "approved", decidedBy: "policy" },
        ...{ callId, what, isDrafted: true },
        ...(diffs && { diffs }),
        ...(command !== undefined && { command }),
    };
}

const MAX_DISPLAY_LINES = 40;

/** The one transcript line of a call, built from the events of the call and its review. */
export function callLine(
    call: CallFinished,
    review: ReviewSettled | undefined,
    theme: Theme
): string {
    // A command that may not reach a host has run all the same, and its summary names the host.
    const isPart = review?.subject === "ask" && call.ok;
    if (review?.status === "denied" && !isPart) return deniedLine(call, review, theme);
    const head = call.ok ? headOf(call, review, theme) : failedHead(call, review, theme);
    const isByRule = review?.decidedBy === "policy" && !review.isDrafted;
    const isAutomatic = isByRule && review.subject !== "ask";
    // The head already has the counts of the diff.
    const summary = call.ok && review?.diffs?.length ? "" : call.summary;
    const notes = [
        summary ?? "",
        review?.isModified ? "changed in review" : "",
        isAutomatic ? "automatic" : "",
        review?.remember ? lastingNote(review, review.remember) : "",
    ].filter(Boolean);
    const note = notes.map((text) => theme.quiet(` · ${safeLine(text)}`)).join("");
    const failure = call.ok ? "" : theme.error(` ✘ ${safeLine(call.error?.message ?? "failed")}`);
    return head + note + failure;
}

/** What was allowed beyond this call. */
const LASTING: Readonly<
    Record<ReviewSettled["subject"], Readonly<Record<"session" | "always", string>>>
> = {
    write: {
        session: "edits are automatic until you quit (/auto)",
        always: "edits are automatic in this project from now on (/auto)",
    },
    shell: {
        session: "allowed until you quit",
        always: "always allowed in this folder (/allowlist)",
    },
    ask: { session: "allowed until you quit", always: "always allowed in this project" },
};

const KEPT = {
    session: "kept for this command until you quit",
    always: "always kept for this command (/trust)",
} as const;

function lastingNote(
    { subject, diffs = [] }: ReviewSettled,
    remember: "session" | "always"
): string {
    if (subject === "write" && diffs.every(({ isGit }) => isGit)) {
        return "commits are automatic in this project from now on (/allowlist)";
    }
    const isKept = subject === "write" && areOutputs(diffs);
    return (isKept ? KEPT : LASTING[subject])[remember];
}

/** Only what a command left where git ignores it. */
export function areOutputs(diffs: readonly FileDiff[]): boolean {
    return diffs.length > 0 && diffs.every(({ count }) => count !== undefined);
}

/** The latest review; remembers whether the change was modified before. */
export function settledAgain(
    earlier: Pick<ReviewSettled, "status" | "isModified"> | undefined,
    review: ReviewSettled
): ReviewSettled {
    const isModified = earlier?.isModified === true || earlier?.status === "modified";
    return isModified ? { ...review, isModified } : review;
}

/** The lines below: what the tool shows the user. */
export function displayLines(display: string, theme: Theme, hiddenLines = 0): string[] {
    const lines = stripControls(display)
        .replace(/(?<!\n)\n+$/, "")
        .split("\n");
    const shown = firstRows(lines, MAX_DISPLAY_LINES, (more) =>
        theme.quiet(`… ${counted(more, "more line")}`)
    );
    const above = hiddenLines > 0 ? [hiddenNote(hiddenLines, theme)] : [];
    return [...above, ...shown].map((line) => `    ${line}`);
}

/** Says how many earlier lines are hidden, and how to see them. */
export function hiddenNote(lines: number, theme: Theme): string {
    return theme.quiet(`… ${counted(lines, "line")} above · /expand shows all`);
}

/** `app.ts (+3 -1)`, `3 files (+10 -2), dist/ (214 files)` */
function describeDiffs(diffs: readonly FileDiff[]): string {
    const files = diffs.filter(({ count }) => count === undefined);
    const kept = diffs.flatMap(({ path, count }) =>
        count === undefined ? [] : `${safeLine(path)} (${count})`
    );
    const [first] = files;
    if (!first) return kept.join(", ");
    const what = files.length === 1 ? safeLine(shownName(first)) : counted(files.length, "file");
    return [`${what} (${formatLineCounts(files)})`, ...kept].join(", ");
}

function commandTitle(command: string): string {
    const lines = command.trim().split("\n");
    return safeLine(lines[0] ?? "") + (lines.length > 1 ? " …" : "");
}

function headOf(call: CallFinished, review: ReviewSettled | undefined, theme: Theme): string {
    if (review?.isDrafted) {
        const { diffs, what } = review;
        return `${theme.tool("✎")} ${diffs ? describeDiffs(diffs) : safeLine(what)}`;
    }
    if (review?.subject === "write" && review.diffs?.length) {
        return `${theme.success("✔")} ${doneWith(review.diffs)}`;
    }

    if (review?.subject === "shell") return `${theme.tool("▶")} Ran ${commandTitle(review.what)}`;
    return `${theme.tool("⚡")} ${safeLine(call.intent)}`;
}

function failedHead(call: CallFinished, review: ReviewSettled | undefined, theme: Theme): string {
    const mark = review?.subject === "shell" ? "▶" : "⚡";
    return `${theme.error(mark)} ${safeLine(call.intent)}`;
}

function deniedLine(call: CallFinished, review: ReviewSettled, theme: Theme): string {
    const mark = theme.error("✘");
    const isByRule = review.decidedBy === "policy";
    const why = review.reason ?? (isByRule ? (call.error?.message ?? "not allowed") : "");
    const note = why === "" ? "" : theme.quiet(` · ${safeLine(why)}`);
    if (review.subject === "write") {
        const { diffs = [] } = review;
        const isGit = diffs.some(isGitLine);
        const what = diffs.length > 0 && !isGit ? describeDiffs(diffs) : safeLine(review.what);
        // The user may have approved it.
        return `${mark} ${isByRule ? "Not written:" : "Rejected"} ${what}${note}`;
    }

    if (review.subject === "shell") return `${mark} Denied ${commandTitle(review.what)}${note}`;
    return `${mark} Denied: ${safeLine(call.intent)}${note}`;
}

/** `Commit to main: "Fix retry" · 1 file +1 -0; Edited a.txt (+1 -0); Kept dist/ (214 files)` */
function doneWith(diffs: readonly FileDiff[]): string {
    const git = diffs.filter(isGitLine).map(gitText);
    const files = diffs.filter((diff) => !diff.isGit);
    const edits = files.filter(({ count }) => count === undefined);
    const outputs = files.filter(({ count }) => count !== undefined);
    return [
        ...git,
        ...(edits.length > 0 ? [`${pastOf(edits)} ${describeDiffs(edits)}`] : []),
        ...(outputs.length > 0 ? [`Kept ${describeDiffs(outputs)}`] : []),
    ].join("; ");
}

function pastOf(edits: readonly FileDiff[]): string {
    const kinds = new Set(edits.map(({ kind }) => kind));
    const [kind] = kinds;
    if (kinds.size !== 1 || kind === undefined) return "Changed";
    return { created: "Created", modified: "Edited", deleted: "Deleted" }[kind];
}
