import { addCosts } from "../../base/format.js";
import type { Learned, LearnOptions } from "../../plugin/index.js";
import { learn, type LearnHost } from "../../core/learn/learn.js";
import { profileText, sectionsOf } from "../../core/learn/profile.js";
import { LEARN_TOPICS } from "../../core/learn/topics.js";
import { projectHash } from "../../storage/files/directories.js";
import { profileFile, readProfile, writeProfile } from "../../storage/profile.js";
import { runsOutsideTurns } from "./runs-outside-turns.js";
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
    const failed = new Map(LEARN_TOPICS.map(({ title }) => [title, "This topic was not reached."]));
    let costUsd: number | null = 0;
    for await (const event of learn(host)) {
        if (event.type === "topic-started") progress(event.title, event.percent);
        if (event.type !== "topic-finished") continue;
        const { title, body, reason = "" } = event;
        costUsd = addCosts(costUsd, event.costUsd);
        if (body === undefined) {
            failed.set(title, reason);
            tell(`${title}: ${reason}`);
            continue;
        }
        learned.push(title);
        failed.delete(title);
        // Saved after each topic, so that a kill loses only one.
        const known = sectionsOf((await readProfile(data, root)) ?? "");
        await writeProfile(data, root, profileText(new Map([...known, [title, body]])));
    }
    const left = [...failed].map(([title, reason]) => ({ title, reason }));
    return { file: profileFile(data, root), learned, failed: left, costUsd };
}

async function learnHost(session: HostSession, { signal, tell }: LearnOptions): Promise<LearnHost> {
    const { project } = session.options;
    const beginning = await project.context.begin(new Map(), signal);
    const { root, registry } = project;
    const tools = new Map([...registry.tools].map(([name, { value }]) => [name, value]));
    // One conversation for all topics: they share a cache, and the costs count as learning.
    const by = "learn";
    const id = `learn-${projectHash(root).slice(0, 6)}`;
    const run = await runsOutsideTurns(session, { by, id, tools, signal, tell });
    return {
        run,
        tools: tools.values(),
        context: beginning
            .filter(({ kind }) => kind !== "profile")
            .map(({ text }) => project.secrets.text(text)),
        signal,
    };
}
