import { firstOf } from "../../base/format.js";
import { safeLine } from "../../base/safe-text.js";
import { NOBODY_TO_ASK } from "../../core/agent/calls/relay.js";
import type { EventOf } from "../../core/agent/events.js";

const HOW_TO_ALLOW = {
    write: () => "`--accept-edits` allows edits in this run.",
    shell: (command: string) =>
        `\`--approve-shell\` allows commands in this run; \`north allowlist add${typed(command)}\` always allows this one.`,
    ask: () => "Allow it once in the chat with `always`.",
} as const;

const ALWAYS_ASKS = {
    write: "Such an edit always asks, despite `--accept-edits`: use the chat.",
    shell: "It asks here despite `--approve-shell`: use the chat, or `north allowlist add`.",
} as const;

const ALLOWS_COMMITS =
    "`--approve-shell` runs the command for real; `a` in the chat allows commits in this project.";

/** A command may change thousands of files. */
const MAX_NAMED = 10;

/** Says what was not allowed, why it had to be asked about, and what would allow it. */
export function deniedLine(
    settled: EventOf<"review-settled">,
    approved: Readonly<Record<"write" | "shell", boolean>>
): string {
    const { subject, reason, needs, alwaysAsks, ranContained, what, key } = settled;
    // With a reason of its own it may have been approved.
    const isUnwritten = subject === "write" && reason !== undefined && reason !== NOBODY_TO_ASK;
    const head = ranContained ? "Ran only contained" : isUnwritten ? "Not written" : "Denied";
    const isApproved = subject !== "ask" && approved[subject];
    const asksOnce = subject === "ask" && key === undefined && "Use the chat.";
    const host = key === undefined ? undefined : /(?:^|:)host:(.*)$/s.exec(key)?.[1];
    const forHost = host !== undefined && `\`--allow-host ${host}\` allows it in this run.`;
    const forCommits = settled.diffs?.some(({ isGit }) => isGit) && ALLOWS_COMMITS;
    const hint =
        asksOnce ||
        forHost ||
        forCommits ||
        (isApproved ? ALWAYS_ASKS[subject] : HOW_TO_ALLOW[subject](what));
    const why = [
        needs && `${needs}.`,
        alwaysAsks ? `${alwaysAsks.replace(/\.$/, "")}. Use the chat.` : hint,
    ];
    const said = reason === NOBODY_TO_ASK ? why : [reason];
    return safeLine([`${head}: ${namesIn(settled)}.`, ...said].filter(Boolean).join(" "));
}

function namesIn({ subject, what, diffs = [] }: EventOf<"review-settled">): string {
    if (diffs.length <= MAX_NAMED) return subject === "ask" ? what.replace(/[.?]$/, "") : what;
    const names = diffs.map(({ path }) => path);
    return firstOf(names, MAX_NAMED, " and ");
}

const MAX_TYPED = 100;

/** The command as a quoted argument; empty if that would be hard to copy. */
function typed(command: string): string {
    if (command.includes("\n") || command.length > MAX_TYPED) return "";
    if (!/["$`\\!]/.test(command)) return ` "${command}"`;
    return command.includes("'") ? "" : ` '${command}'`;
}
