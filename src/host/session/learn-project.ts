import { createHash } from "node:crypto";
import type { Learned, LearnOptions } from "../../plugin/index.js";
import { NorthError } from "../../base/north-error.js";
import type { ContainedRuns } from "../../core/approval/contained-runs.js";
import type { AgentEvent } from "../../core/agent/events.js";
import { learn, type LearnPlace } from "../../core/learn/learn.js";
import { profileText, sectionsOf } from "../../core/learn/profile.js";
import { LEARN_TOPICS } from "../../core/learn/topics.js";
import { profileFile, readProfile, writeProfile } from "../../storage/profile.js";
import { withoutKeys } from "../models/provider-keys.js";
import type { SessionParts } from "./session-parts.js";

/** Learns the project of the session, with its model. */
export function learner(session: SessionParts): (options: LearnOptions) => Promise<Learned> {
    return async (options) => {
        const place = await placeOf(session, options.signal);
        try {
            return await learnInto(session, place, options);
        } finally {
            // With the next message the conversation is told what is now known.
            session.messages.beginAgain();
        }
    };
}

async function learnInto(
    session: SessionParts,
    place: LearnPlace,
    { progress, tell }: LearnOptions
): Promise<Learned> {
    const { root } = session;
    const { data } = session.options.project.directories;
    const learned: string[] = [];
    const reasons = new Map<string, string>();
    let costUsd: number | null = 0;
    for await (const event of learn(place)) {
        if (event.type === "topic-started") progress(event.title, event.percent);
        if (event.type === "agent") tellOf(event.event, session, tell);
        if (event.type !== "topic-finished") continue;
        const { title, body, reason = "It was not asked." } = event;
        costUsd = costUsd === null || event.costUsd === null ? null : costUsd + event.costUsd;
        if (body === undefined) {
            reasons.set(title, reason);
            tell(`${title}: ${reason}`);
            continue;
        }
        learned.push(title);
        // After each topic, so that a kill loses one and not all.
        const known = sectionsOf((await readProfile(data, root)) ?? "");
        await writeProfile(data, root, profileText(new Map([...known, [title, body]])));
    }
    const failed = LEARN_TOPICS.filter(({ title }) => !learned.includes(title)).map(
        ({ title }) => ({ title, reason: reasons.get(title) ?? "It was not asked." })
    );
    return { file: profileFile(data, root), learned, failed, costUsd };
}

function tellOf(event: AgentEvent, session: SessionParts, tell: LearnOptions["tell"]): void {
    if (event.type === "usage-reported") session.count(event.costUsd);
    if (event.type === "notice") tell(event.text);
    if (event.type === "retry-scheduled") tell(event.reason);
}

async function placeOf(session: SessionParts, signal: AbortSignal): Promise<LearnPlace> {
    const { project, connections, edges } = session.options;
    const { provider, model } = session.model;
    if (provider.id === "offline") {
        throw new NorthError("no-api-key", "The offline model cannot learn a project.", [
            "Set ANTHROPIC_API_KEY, or run `north login anthropic`.",
        ]);
    }
    const beginning = await project.context.begin(new Map(), signal);
    const { registry, workspace, shell, applier, contents, grants } = project;
    const contained = await withoutTraces(project.contained);
    return {
        root: session.root,
        keepText: async () => undefined,
        context: beginning.filter(({ kind }) => kind !== "profile").map(({ text }) => text),
        conversationId: `learn-${createHash("sha256").update(session.root).digest("hex").slice(0, 6)}`,
        clean: (record) => withoutKeys(record, connections.keys),
        provider,
        model,
        thinking: session.thinking,
        connection: await connections.to(provider),
        tools: new Map([...registry.tools].map(([name, { value }]) => [name, value])),
        workspace,
        shell,
        ...(contained ? { contained } : {}),
        foresee: (command, folder) => project.foresee(command, folder, signal),
        applier,
        contents,
        grants,
        runGrants: { acceptEdits: false, approveShell: false },
        ...(session.budget ? { budget: session.budget } : {}),
        ledger: project.ledger,
        log: project.log,
        edges,
        signal,
    };
}

/** Contained runs that leave the user's session where it is; `undefined` where there are none. */
async function withoutTraces(contained: ContainedRuns): Promise<ContainedRuns | undefined> {
    if (contained.mode === "off" || (await contained.unavailable()) !== undefined) return undefined;
    return {
        mode: contained.mode,
        unavailable: async () => undefined,
        notice: async () => undefined,
        run: async (command, folder, options) => ({
            ...(await contained.run(command, folder, options)),
            keep: () => [],
        }),
    };
}
