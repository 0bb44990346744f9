import type { SessionStatus } from "../../core/session.js";
import { safeLine } from "../../base/safe-text.js";
import type { Theme } from "../terminal/theme.js";
import { counted, formatTokens, formatUsd } from "../../base/format.js";

/** What the status line shows beside the session's own status. */
export interface StatusExtras {
    /** What is approved without asking. */
    readonly automatic?: readonly string[];
    readonly runningJobs?: number;
}

/** `north · Claude Sonnet · agent · auto: edits · 2 jobs · ● 42.5K (21%) · $0.12 / $3.40`. */
export function statusLine(
    status: SessionStatus,
    theme: Theme,
    { automatic = [], runningJobs = 0 }: StatusExtras = {}
): string {
    const mode = status.mode === "ask" ? theme.allTime(status.mode) : theme.tool(status.mode);
    return [
        theme.strong(safeLine(status.projectName)),
        modelText(status),
        mode,
        ...(automatic.length > 0 ? [theme.warning(`auto: ${automatic.join(", ")}`)] : []),
        ...(runningJobs > 0 ? [counted(runningJobs, "job")] : []),
        contextText(status, theme),
        costText(status, theme),
    ].join(theme.quiet(" · "));
}

function modelText({ modelName, thinking }: SessionStatus): string {
    const note =
        thinking === "off" ? "" : thinking === "on" ? " thinking" : ` thinking ${thinking}`;
    return safeLine(modelName) + note;
}

function contextText({ contextTokens, contextLimit }: SessionStatus, theme: Theme): string {
    const percent = contextLimit > 0 ? Math.round((contextTokens / contextLimit) * 100) : 0;
    const colour = percent < 60 ? theme.success : percent <= 85 ? theme.warning : theme.error;
    return `${colour("●")} ${formatTokens(contextTokens)} (${percent}%)`;
}

function costText(status: SessionStatus, theme: Theme): string {
    const unknown = status.unpricedRequests > 0 ? " + unknown" : "";
    const session = theme.success(formatUsd(status.sessionCostUsd) + unknown);
    return `${session} / ${theme.allTime(formatUsd(status.allTimeCostUsd))}`;
}
