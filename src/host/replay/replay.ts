import { existsSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Surroundings } from "../surroundings.js";
import { NorthError } from "../../base/north-error.js";
import {
    type AppliedChange,
    AppliedChanges,
    mergeByTime,
} from "../../core/history/applied-changes.js";
import type { Conversation } from "../../core/conversation/fold.js";
import { memoryStaging } from "../../core/files/staging.js";
import { recordedTurns } from "../../core/history/recorded-turns.js";
import { historyOf } from "../../core/history/states.js";
import type { Tool } from "../../plugin/index.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";
import { createChangeApplier } from "../../workspace/apply/apply-change-set.js";
import { openStores, type ProjectStores } from "../open-stores.js";
import { storedConversation } from "../conversations/exported-conversation.js";
import { keysIn } from "../models/connections.js";
import { withContained } from "../project/contained-place.js";
import { WithheldSecrets } from "../project/withheld-secrets.js";
import { OWN_PLUGIN } from "../../core/registry/registry.js";
import { loadRegistry } from "../project/load-plugins.js";
import { ReplayedConversation } from "./replayed-conversation.js";
import { projectChanges } from "../operations/project-changes.js";
import { contentsOver, ReplayedProject } from "./replayed-project.js";
import { changesText } from "../../chat/printed-text.js";
import { counted } from "../../base/format.js";

interface ReplayRequest extends Surroundings {
    readonly id: string;
    /** The project, if not the recorded one. */
    readonly on?: string;
    readonly signal: AbortSignal;
    progress(text: string): void;
}

type Replayed = Awaited<ReturnType<typeof replay>>;

/** Repeats the recorded calls, contained, in a view of the project as it was. Asks no model. */
export async function replay(request: ReplayRequest) {
    const { id, directories, signal, progress } = request;
    const { conversation } = await storedConversation(directories.data, id);
    const turns = recordedTurns(conversation.entries);
    if (turns.length === 0) {
        throw new NorthError("nothing-said", `Conversation ${id} has no messages.`);
    }
    const { start } = historyOf(
        await changesSince(turns[0]?.message.at ?? 0, request, conversation)
    );
    const { root, contents } = await storesOfProject(request, conversation);
    const { environment } = request;
    const keys = new Set(keysIn(environment, directories.config));
    const tools = await ownTools(request, root);
    const isolated = { root, directories, environment, mode: "required" } as const;
    return withContained(isolated, async ({ contained, shell, workspace }) => {
        const replayed = new ReplayedConversation({
            ...{ id, tools, contained, staging: memoryStaging() },
            project: {
                ...{ workspace, shell, contents: contentsOver(contents) },
                secrets: new WithheldSecrets({ root, environment, keys }),
                applier: createChangeApplier({ root }),
            },
            start,
            files: new ReplayedProject(root, contents, start),
            recordedRoot: conversation.root,
            signal,
        });
        for (const turn of turns) {
            await replayed.turn(turn);
            // Nothing in a turn without calls waits, so no signal would be seen.
            await setImmediate();
            signal.throwIfAborted();
            progress(`turn ${turn.number} of ${turns.length}`);
            if (replayed.difference) break;
        }
        const { calls, notRun, difference } = replayed;
        return { id, turns: turns.length, calls, notRun, difference };
    });
}

/** All changes of the conversation, and others' later ones in its project. */
async function changesSince(
    begin: number,
    { id, on, directories }: ReplayRequest,
    { root }: Conversation
): Promise<readonly AppliedChange[]> {
    const { records } = await createConversationStore(directories.data).read(id);
    // What a draft began with is the project's, too.
    const { withDrafts: own } = new AppliedChanges(records);
    if (on !== undefined) return own;
    const { changes } = await projectChanges(directories.data, root);
    return mergeByTime([own, changes.filter(({ change }) => change.at >= begin)]);
}

async function storesOfProject(
    { id, on, directories }: ReplayRequest,
    { root }: Conversation
): Promise<ProjectStores> {
    if (on === undefined && !existsSync(root)) {
        throw new NorthError("not-found", `The project of ${id}, ${root}, is gone.`, [
            "Name another copy of it with `--on DIR`.",
        ]);
    }
    return openStores(directories.data, on ?? root);
}

/** Without plugins' tools, and tools that ask: these may reach beyond the project. */
async function ownTools({ config }: ReplayRequest, root: string): Promise<Map<string, Tool>> {
    const tools = new Map<string, Tool>();
    for (const [name, { plugin, value }] of (await loadRegistry(config, { root })).tools) {
        if (plugin === OWN_PLUGIN && value.approval !== "ask") tools.set(name, value);
    }
    return tools;
}

export async function replayText({ turns, calls, notRun, difference }: Replayed): Promise<string> {
    const left = notRun > 0 ? ` ${counted(notRun, "call")} could not be repeated.` : "";
    if (!difference) {
        return `No difference: ${counted(turns, "turn")}, ${counted(calls, "call")} repeated.${left}`;
    }
    const { turn, call, kind, recorded, replayed } = difference;
    const what = {
        result: "has a different result",
        files: "wrote different files",
        missing: "was not repeated",
    };
    const [before, after] = [recorded, replayed].map((value) => Buffer.from(textOf(value)));
    const change = { path: call, before: before ?? null, beforeHash: null, after: after ?? null };
    return [
        `First difference: in turn ${turn} the call "${call}" ${what[kind]}.${left}`,
        await changesText({ changes: [change] }),
    ].join("\n");
}

/** Expands escaped line breaks, so that a diff has lines to compare. */
function textOf(value: unknown): string {
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    return `${text.replaceAll("\\n", "\n")}\n`;
}
