import { existsSync } from "node:fs";
import type { Config } from "@oclif/core";
import { NorthError } from "../../base/north-error.js";
import {
    type AppliedChange,
    AppliedChanges,
    mergeByTime,
} from "../../core/history/applied-changes.js";
import type { Conversation } from "../../core/conversation/fold.js";
import { recordedTurns } from "../../core/history/recorded-turns.js";
import { historyOf } from "../../core/history/states.js";
import type { Tool } from "../../plugin/index.js";
import { openShell } from "../../shell/open-shell.js";
import { containmentIn, readConfig } from "../../storage/config.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";
import type { NorthDirectories } from "../../storage/files/directories.js";
import { createObjectStore } from "../../storage/files/object-store.js";
import { createStaging } from "../../storage/files/staging.js";
import { createChangeApplier } from "../../workspace/apply/apply-change-set.js";
import { openStores, type ProjectStores } from "../stores/open-stores.js";
import { openWorkspace } from "../../workspace/open-workspace.js";
import { storedConversation } from "../conversations/exported-conversation.js";
import { keysIn } from "../models/connections.js";
import { ContainedCommands } from "../project/contained-commands.js";
import { WithheldSecrets } from "../project/withheld-secrets.js";
import { OWN_PLUGIN } from "../../core/registry/registry.js";
import { loadRegistry } from "../project/load-plugins.js";
import { ReplayedConversation } from "./replayed-conversation.js";
import { projectChanges } from "./project-changes.js";
import { createScratchCopy, type ScratchCopy } from "./scratch-copy.js";
import { changesText } from "../../chat/printed-text.js";
import { counted } from "../../base/format.js";

interface ReplayRequest {
    readonly id: string;
    /** The project to copy, if not the recorded one. */
    readonly on?: string;
    readonly config: Config;
    readonly directories: NorthDirectories;
    readonly environment: NodeJS.ProcessEnv;
    readonly signal: AbortSignal;
    progress(text: string): void;
}

type Replayed = Awaited<ReturnType<typeof replay>>;

/** Repeats the recorded calls, contained, in a copy of the project as it was. Asks no model. */
export async function replay(request: ReplayRequest) {
    const { id, directories, signal, progress } = request;
    const { conversation } = await storedConversation(directories.data, id);
    const turns = recordedTurns(conversation.entries);
    if (turns.length === 0) throw new NorthError("nothing-said", `Nothing was said in ${id}.`);
    const { start } = historyOf(
        await changesSince(turns[0]?.message.at ?? 0, request, conversation)
    );
    const { root, contents } = await storesOfProject(request, conversation);
    const scratch = await createScratchCopy(root);
    const { place, close } = await openPlace(request, scratch, root);
    try {
        await scratch.writeAll(start, contents);
        const replayed = new ReplayedConversation({
            ...place,
            id,
            start,
            recorded: contents,
            scratch,
            recordedRoot: conversation.root,
            signal,
        });
        for (const turn of turns) {
            await replayed.turn(turn);
            signal.throwIfAborted();
            progress(`turn ${turn.number} of ${turns.length}`);
            if (replayed.difference) break;
        }
        const { calls, notRun, difference } = replayed;
        return { id, turns: turns.length, calls, notRun, difference };
    } finally {
        await close();
        await scratch.remove();
    }
}

/** All changes of the conversation, and others' later ones in its project. */
async function changesSince(
    begin: number,
    { id, on, directories }: ReplayRequest,
    { root }: Conversation
): Promise<readonly AppliedChange[]> {
    const { records } = await createConversationStore(directories.data).read(id);
    const own = new AppliedChanges(records);
    if (on !== undefined) return own.all;
    const { changes } = await projectChanges(directories.data, root);
    return mergeByTime([own.all, changes.filter(({ change }) => change.at >= begin)]);
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

/** The parts of a project that calls need, for the copy. */
async function openPlace(
    { config, directories, environment }: ReplayRequest,
    { root, own }: ScratchCopy,
    project: string
) {
    const registry = await loadRegistry(config, { root });
    const tools = new Map<string, Tool>();
    // Plugins' tools, and tools that ask, may reach beyond the project.
    for (const [name, { plugin, value }] of registry.tools) {
        if (plugin === OWN_PLUGIN && value.approval !== "ask") tools.set(name, value);
    }
    const workspace = openWorkspace({
        root,
        ownFolders: Object.values(directories),
        useRipgrep: environment.NORTH_DISABLE_RIPGREP !== "1",
    });
    const shell = openShell({ root, environment, withheldVariables: [] });
    const settings = containmentIn(await readConfig(directories.config));
    const contained = new ContainedCommands({
        root,
        directories,
        environment,
        settings: { ...settings, mode: "required" },
        shell,
        workspace,
    });
    const keys = new Set(keysIn(environment, directories.config));
    const place = {
        tools,
        project: {
            workspace,
            shell,
            secrets: new WithheldSecrets({ root: project, environment, keys }),
            applier: createChangeApplier({ root }),
            contents: createObjectStore(own),
        },
        contained,
        staging: createStaging(`${own}/staging`),
    };
    return {
        place,
        close: async () => {
            await contained.dispose();
            await shell.dispose();
        },
    };
}

export async function replayText({ turns, calls, notRun, difference }: Replayed): Promise<string> {
    const left = notRun > 0 ? ` ${counted(notRun, "call")} could not be repeated.` : "";
    if (!difference) {
        return `Equal: ${counted(turns, "turn")}, ${counted(calls, "call")} repeated.${left}`;
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
