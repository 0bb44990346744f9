import { NorthError } from "../../base/north-error.js";
import { withTimeLimit } from "../../base/waiting.js";
import { Checks } from "../../core/agent/checks.js";
import type { Mode } from "../../plugin/index.js";
import { OWN_PLUGIN } from "../../core/registry/registry.js";
import { placeInMode } from "./drafted-project.js";
import type { HostSession } from "./session.js";

/** As Claude Code: who leaves does not wait long. */
const END_MS = 1_500;

/** The conversation that the checks of a session were last told of. */
const told = new WeakMap<HostSession, HostSession["conversation"]>();

/** The checks of a turn, their notes for its message, if it has one, and notices for the user. */
export async function checksOf(
    session: HostSession,
    text: string | undefined,
    signal: AbortSignal,
    mode: Mode
) {
    session.until?.beginTurn();
    const checks = await openChecks(session, signal, mode);
    if (!checks) return { checks, notes: [], notices: [] };
    const started = await startNotes(session, checks);
    const { deny, notes } =
        text === undefined ? { deny: undefined, notes: [] } : await checks.beforeMessage(text);
    if (deny !== undefined) throw new NorthError("refused-by-check", `Not sent. ${deny}`);
    return { checks, notes: [...started, ...notes], notices: checks.takeProblems() };
}

/** The checks as they are now; `undefined` if there are none. */
export async function openChecks(
    session: HostSession,
    signal: AbortSignal,
    mode = session.mode
): Promise<Checks | undefined> {
    const { project, answer } = session.options;
    const { conversation, until, memory } = session;
    const goals = [until, answer].flatMap((value) => value ?? []);
    const { workspace, contained } = placeInMode(project, mode, conversation.state);
    const checks = [
        ...(await project.checks()),
        ...goals.map((value) => ({ plugin: OWN_PLUGIN, value })),
    ];
    if (checks.length === 0) return undefined;
    const { log } = project;
    const entries = () => conversation.state.entries;
    const context = {
        ...{ workspace, contained, conversationId: conversation.id, mode, entries },
        ...(contained.start && { startContained: contained.start }),
    };
    const maxContinuations = until && until.goal.maxAttempts + (answer ? 1 : 0);
    return new Checks({ checks, context, signal, log, maxContinuations, once: memory.once });
}

async function startNotes(session: HostSession, checks: Checks): Promise<readonly string[]> {
    const { conversation } = session;
    const before = told.get(session);
    if (before === conversation) return [];
    told.set(session, conversation);
    const isResumed = conversation.state.entries.length > 0;
    const source = isResumed ? "resume" : before ? "clear" : "startup";
    return (await checks.onEvent({ type: "session-started", source })).notes;
}

/** Tells the checks that the session ends, if they were told that it began. */
export async function tellSessionEnd(session: HostSession): Promise<void> {
    if (!told.has(session)) return;
    await withTimeLimit(END_MS, async (limit) => {
        const checks = await openChecks(session, limit);
        await checks?.onEvent({ type: "session-ended" });
    });
}
