import type { SessionStatus } from "../../core/session.js";
import { safeLine, showControls, stripControls } from "../../base/safe-text.js";
import type { Theme } from "../terminal/theme.js";
import { counted, formatCosts, formatTokens } from "../../base/format.js";
import { COLOUR, RESET } from "./rows.js";
import { onlyReads } from "../../plugin/modes.js";

type ShownStatus = Omit<SessionStatus, "allTime"> & {
    readonly allTime: SessionStatus["allTime"] | undefined;
};

export interface StatusMarks {
    readonly automatic?: readonly string[];
    /** The checked-out branch, or a short commit id if detached. */
    readonly branch?: string;
    readonly tier?: "contained" | "read-only" | "external" | undefined;
    readonly runningJobs?: number;
    /** Size of the draft: `5 files +120 -34`. */
    readonly draft?: string | undefined;
    /** Output of the user's own status command. Replaces everything else. */
    readonly own?: string;
}

/** The status line in decreasing width: each variant drops the least important part. */
export function statusLines(
    status: SessionStatus,
    theme: Theme,
    marks: StatusMarks
): readonly string[] {
    const { branch: _branch, ...others } = marks;
    const session = { ...status, allTime: undefined };
    return [
        statusLine(status, theme, marks),
        statusLine(session, theme, marks),
        statusLine(session, theme, others),
        ...(marks.own === undefined ? [others, { ...others, tier: undefined }] : []).map((shown) =>
            factsOf(session, theme, shown).join(theme.quiet(" · "))
        ),
    ];
}

/** `north main · Claude Sonnet · agent · auto: edits · contained · 2 jobs · ● 42.5K (21%) · $0.12 / $3.40` */
export function statusLine(
    status: ShownStatus,
    theme: Theme,
    { branch, own, ...marks }: StatusMarks = {}
): string {
    if (own !== undefined) return coloured(own);
    const path = theme.strong(safeLine(status.projectName));
    return [
        branch === undefined ? path : `${path} ${theme.quiet(safeLine(branch))}`,
        modelText(status),
        ...factsOf(status, theme, marks),
    ].join(theme.quiet(" · "));
}

/** What changes while one works. */
function factsOf(
    status: ShownStatus,
    theme: Theme,
    { automatic = [], tier, runningJobs = 0, draft }: StatusMarks
): readonly string[] {
    const mode = onlyReads(status.mode) ? theme.allTime(status.mode) : theme.tool(status.mode);
    return [
        ...(draft === undefined ? [mode] : draftTexts(status, draft, theme)),
        ...(automatic.length > 0 ? [theme.warning(`auto: ${automatic.join(", ")}`)] : []),
        ...(tier === undefined
            ? []
            : [tier === "external" ? theme.warning(tier) : theme.success(tier)]),
        ...(runningJobs > 0 ? [counted(runningJobs, "job")] : []),
        contextText(status, theme),
        costText(status, theme),
    ];
}

/** `draft 5 files +120 -34`, after the mode if that is another. */
function draftTexts({ mode }: ShownStatus, draft: string, theme: Theme): readonly string[] {
    const text = theme.tool(`draft ${draft}`);
    return mode === "draft" ? [text] : [theme.tool(mode), text];
}

/** Removes control sequences other than colours. */
function coloured(text: string): string {
    const parts = text
        .split(COLOUR)
        .map((part, index) => (index % 2 === 1 ? part : showControls(stripControls(part))));
    return parts.length > 1 ? parts.join("") + RESET : parts.join("");
}

function modelText({ modelName, thinking }: ShownStatus): string {
    const note =
        thinking === "off" ? "" : thinking === "on" ? " thinking" : ` thinking ${thinking}`;
    return safeLine(modelName) + note;
}

function contextText({ contextTokens, contextLimit }: ShownStatus, theme: Theme): string {
    const percent = contextLimit > 0 ? Math.round((contextTokens / contextLimit) * 100) : 0;
    const colour = percent < 60 ? theme.success : percent <= 85 ? theme.warning : theme.error;
    return `${colour("●")} ${formatTokens(contextTokens)} (${percent}%)`;
}

function costText(status: ShownStatus, theme: Theme): string {
    const { allTime, sessionCostUsd, unpricedRequests } = status;
    const session = theme.success(formatCosts(sessionCostUsd, unpricedRequests));
    return allTime === undefined
        ? session
        : `${session} / ${theme.allTime(formatCosts(allTime.costUsd, allTime.unpricedRequests))}`;
}
