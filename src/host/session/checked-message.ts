import { NorthError } from "../../base/north-error.js";
import { Checks } from "../../core/agent/checks.js";
import { OWN_PLUGIN } from "../../core/registry/registry.js";
import type { SessionParts } from "./session-parts.js";

/** Told of once, however many turns they fail in. */
const failed = new Set<string>();

/** A turn's checks, what they add to its message, and what the user should know. */
export interface CheckedMessage {
    readonly checks?: Checks;
    readonly notes: readonly string[];
    readonly notices: readonly string[];
}

/** Rejects with `refused-by-check` where a check refuses the message. */
export async function checkMessage(
    { options: { project, answer }, conversationId, mode, until }: SessionParts,
    text: string,
    signal: AbortSignal
): Promise<CheckedMessage> {
    until?.beginTurn();
    const goals = [until, answer].flatMap((value) => value ?? []);
    const current = [
        ...(await project.checks()),
        ...goals.map((value) => ({ plugin: OWN_PLUGIN, value })),
    ];
    if (current.length === 0) return { notes: [], notices: [] };
    const { workspace, log } = project;
    const context = { workspace, conversationId, mode };
    const mostContinuations = until && until.goal.maxAttempts + (answer ? 1 : 0);
    const checks = new Checks({
        checks: current,
        ...{ context, signal, log, failed, mostContinuations },
    });
    const { deny, notes } = await checks.beforeMessage(text);
    if (deny === undefined) return { checks, notes, notices: checks.takeProblems() };
    throw new NorthError("refused-by-check", `Not sent. ${deny}`);
}
