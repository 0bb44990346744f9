import { NorthError } from "../../base/north-error.js";
import { Once } from "../../base/once.js";
import type { NestedUsage } from "../../core/agent/events.js";
import type { NestedParent } from "../../core/agent/nested/nested-turn.js";
import { NestedRuns } from "../../core/agent/nested/run-nested.js";
import type { NestedRun, NestedRunOptions, Tool } from "../../plugin/index.js";
import { nestedLogs } from "../conversations/open-conversation.js";
import { turnProject } from "./make-turn.js";
import { modelOf } from "./model-of.js";
import type { HostSession } from "./session.js";

interface OutsideRuns {
    /** What starts them, for the log: `learn`. */
    readonly by: string;
    /** The conversation that their costs and cache belong to. */
    readonly id: string;
    readonly tools: ReadonlyMap<string, Tool>;
    readonly signal: AbortSignal;
    /** A sentence for the user. */
    tell(text: string): void;
}

/**
 * Runs the session's model on the project with tools that only read, outside any turn. Rejects with
 * `no-api-key` for the offline model.
 */
export async function runsOutsideTurns(
    session: HostSession,
    { by, id, tools, signal, tell }: OutsideRuns
): Promise<(options: NestedRunOptions) => Promise<NestedRun>> {
    const { project, runtime, settings } = session.options;
    const { provider, model } = session.model;
    if (provider.id === "offline") {
        throw new NorthError("no-api-key", `The offline model cannot ${by} a project.`, [
            "Set ANTHROPIC_API_KEY, or run `north login anthropic`.",
        ]);
    }
    const parent: NestedParent = {
        conversation: { state: { id, root: project.root } },
        model: await modelOf(session, "ask"),
        project: { ...turnProject(project, signal), storeOutput: async () => undefined },
        // The main model: people rely on what it finds.
        settings: { mode: "ask", limits: {}, results: settings.results, nestedModel: model.id },
        request: { tools },
        session: { runGrants: { acceptEdits: false, approveShell: false }, once: new Once() },
        ...{ runtime, log: project.log, signal },
    };
    const open = nestedLogs(project, session.conversation);
    const runs = new NestedRuns(() => parent, { open, ledger: project.stores.ledger });
    const count = ({ costUsd }: NestedUsage) => session.count(costUsd);
    return (options) =>
        runs.run(
            {
                ...options,
                onEvent(event) {
                    if (event.type === "notice") tell(event.text);
                    options.onEvent?.(event);
                },
            },
            { by },
            count
        );
}
