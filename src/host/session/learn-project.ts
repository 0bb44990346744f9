import type { Learned, LearnOptions, NestedRunOptions } from "../../plugin/index.js";
import { NorthError } from "../../base/north-error.js";
import { Once } from "../../base/once.js";
import type { NestedUsage } from "../../core/agent/events.js";
import { type NestedParent, NestedRuns } from "../../core/agent/nested/run-nested.js";
import { learn, type LearnHost } from "../../core/learn/learn.js";
import { profileText, sectionsOf } from "../../core/learn/profile.js";
import { LEARN_TOPICS } from "../../core/learn/topics.js";
import { projectHash } from "../../storage/files/directories.js";
import { profileFile, readProfile, writeProfile } from "../../storage/profile.js";
import { nestedLogs } from "../conversations/open-conversation.js";
import { turnProject } from "./make-turn.js";
import type { HostSession } from "./session.js";

/** Learns the session's project with its model. */
export function learner(session: HostSession): (options: LearnOptions) => Promise<Learned> {
    return async (options) => {
        const host = await learnHost(session, options);
        try {
            return await learnInto(session, host, options);
        } finally {
            // The next message tells the conversation what is now known.
            session.messages.resendContext();
        }
    };
}

async function learnInto(
    session: HostSession,
    host: LearnHost,
    { progress, tell }: LearnOptions
): Promise<Learned> {
    const { root } = session;
    const { data } = session.options.project.directories;
    const learned: string[] = [];
    const reasons = new Map<string, string>();
    let costUsd: number | null = 0;
    for await (const event of learn(host)) {
        if (event.type === "topic-started") progress(event.title, event.percent);
        if (event.type !== "topic-finished") continue;
        const { title, body, reason = "This topic was not reached." } = event;
        costUsd = costUsd === null || event.costUsd === null ? null : costUsd + event.costUsd;
        if (body === undefined) {
            reasons.set(title, reason);
            tell(`${title}: ${reason}`);
            continue;
        }
        learned.push(title);
        // Saved after each topic, so that a kill loses only one.
        const known = sectionsOf((await readProfile(data, root)) ?? "");
        await writeProfile(data, root, profileText(new Map([...known, [title, body]])));
    }
    const failed = LEARN_TOPICS.filter(({ title }) => !learned.includes(title)).map(
        ({ title }) => ({ title, reason: reasons.get(title) ?? "This topic was not reached." })
    );
    return { file: profileFile(data, root), learned, failed, costUsd };
}

async function learnHost(session: HostSession, { signal, tell }: LearnOptions): Promise<LearnHost> {
    const { project, connections, runtime } = session.options;
    const { provider, model } = session.model;
    if (provider.id === "offline") {
        throw new NorthError("no-api-key", "The offline model cannot learn a project.", [
            "Set ANTHROPIC_API_KEY, or run `north login anthropic`.",
        ]);
    }
    const beginning = await project.context.begin(new Map(), signal);
    const { root, registry, stores, log } = project;
    const tools = new Map([...registry.tools].map(([name, { value }]) => [name, value]));
    const parent: NestedParent = {
        // One conversation for all topics: they share a cache, and the costs count as learning.
        conversation: { state: { id: `learn-${projectHash(root).slice(0, 6)}`, root } },
        model: {
            provider,
            info: model,
            thinking: session.thinking,
            connection: await connections.to(provider),
            ledger: stores.ledger,
            budget: session.budget,
        },
        project: { ...turnProject(project, signal), storeOutput: async () => undefined },
        // The main model: what it writes is read in every conversation.
        settings: { mode: "ask", limits: {}, nestedModel: model.id },
        request: { tools },
        runGrants: { acceptEdits: false, approveShell: false },
        once: new Once(),
        ...{ runtime, log, signal },
    };
    const runs = new NestedRuns(() => parent, nestedLogs(project, session.conversation));
    const onEvent: NestedRunOptions["onEvent"] = (event) => {
        if (event.type === "notice") tell(event.text);
    };
    const count = ({ costUsd }: NestedUsage) => session.count(costUsd);
    return {
        run: (options) => runs.run({ ...options, onEvent }, { by: "learn" }, count),
        tools: tools.values(),
        context: beginning
            .filter(({ kind }) => kind !== "profile")
            .map(({ text }) => project.secrets.text(text)),
        signal,
    };
}
