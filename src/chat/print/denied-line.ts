import { firstOf } from "../../base/format.js";
import { safeLine } from "../../base/safe-text.js";
import { NOBODY_TO_ASK } from "../../core/agent/calls/relay.js";
import type { AgentEvent } from "../../core/agent/events.js";

type ReviewSettled = Extract<AgentEvent, { type: "review-settled" }>;

const HOW_TO_ALLOW = {
    write: "--accept-edits allows edits in this run",
    shell: "`north allowlist add` allows it for good, --approve-shell every command of this run",
    ask: "allow it once in the chat with `always`",
} as const;

const ALWAYS_ASKS = {
    write: "such an edit always asks, despite --accept-edits: use the chat",
    shell: "it asks here despite --approve-shell: use the chat, or `north allowlist add`",
} as const;

/** A command may change thousands of files. */
const MAX_NAMED = 10;

/** Says what was not allowed, why it had to be asked about, and what would allow it. */
export function deniedLine(
    settled: ReviewSettled,
    approved: Readonly<Record<"write" | "shell", boolean>>
): string {
    const { subject, reason, needs, alwaysAsks, ranContained, what } = settled;
    const head = ranContained ? "Ran only contained" : "Denied";
    const isApproved = subject !== "ask" && approved[subject];
    const host = subject === "ask" ? /(?:^|:)host:(.*)$/s.exec(what)?.[1] : undefined;
    const forHost = host !== undefined && `--allow-host ${host} allows it in this run`;
    const hint = forHost || (isApproved ? ALWAYS_ASKS[subject] : HOW_TO_ALLOW[subject]);
    const why = [
        needs && `it needs ${needs}`,
        alwaysAsks && `${withoutStop(alwaysAsks)}; use the chat`,
    ];
    const said = reason === NOBODY_TO_ASK ? undefined : reason;
    const details = said ?? [...why, alwaysAsks ? "" : hint].filter(Boolean).join("; ");
    return `${head}: ${safeLine(namesIn(settled))} (${safeLine(details)})`;
}

function namesIn({ what, diffs = [] }: ReviewSettled): string {
    if (diffs.length <= MAX_NAMED) return what;
    const names = diffs.map(({ path }) => path);
    return firstOf(names, MAX_NAMED, " and ");
}

function withoutStop(sentence: string): string {
    return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, "");
}
