import path from "node:path";
import type { ModelCost } from "../plugin/index.js";
import { NorthError } from "../plugin/north-error.js";
import type { JournalRecord } from "../core/conversation/records.js";
import type { CostQuery } from "../core/costs/ledger.js";
import { resolveModel } from "../core/registry/models.js";
import type { SessionServices } from "../core/session.js";
import { exportedConversation, exportText, writeExport } from "./export-conversation.js";
import type { HostSession } from "./session.js";
import { summarizer } from "./summarize-conversation.js";
import { prepareUndo, type UndoPlace } from "./undo-changes.js";

function undoPlace({ conversation, root, options }: HostSession): UndoPlace {
    const { applier, contents } = options.project;
    const record = (entry: JournalRecord) => conversation.record(entry);
    return { root, applier, contents, record, edges: options.edges };
}

async function exportTo(session: HostSession, wanted?: string): Promise<string> {
    if (session.entries.length === 0) {
        throw new NorthError("nothing-said", "Nothing has been said in this conversation yet.");
    }
    const file = path.resolve(session.root, wanted ?? `north-${session.conversationId}.md`);
    const exported = exportedConversation(session.conversation.state);
    const format = file.toLowerCase().endsWith(".json") ? "json" : "md";
    await writeExport(file, exportText(exported, format), { replace: false });
    return file;
}

/** What slash commands may do with a session. */
export function sessionServices(session: HostSession): SessionServices {
    const { project, connections } = session.options;
    const providers = [...project.registry.providers.values()].map(({ value }) => value);
    const costs = async (query: Omit<CostQuery, "by">): Promise<readonly ModelCost[]> => {
        const rows = await project.ledger.query({ by: "model", ...query });
        return rows.map((row) => ({ ...row, provider: row.provider ?? "", model: row.key }));
    };
    return {
        conversation: {
            get id() {
                return session.conversationId;
            },
            startNew: () => session.startNew(),
            resume: (id) => session.resume(id),
            export: (file) => exportTo(session, file),
            summarize: summarizer(session),
        },
        conversations: {
            async list() {
                const all = await project.conversations.list();
                return all.filter(
                    ({ id, root }) => root === session.root && id !== session.conversationId
                );
            },
        },
        changes: { planUndo: (turns) => prepareUndo(undoPlace(session), session.entries, turns) },
        models: {
            get current() {
                return session.model.model;
            },
            async list() {
                const known = await Promise.all(
                    providers.map(async (provider) => ({
                        provider,
                        hasKey: await connections.hasKey(provider),
                    }))
                );
                return known.flatMap(({ provider, hasKey }) =>
                    provider.models
                        .filter(({ replacedBy }) => replacedBy === undefined)
                        .map((model) => ({ model, provider: provider.id, hasKey }))
                );
            },
            async select(name) {
                const resolved = resolveModel(name, providers);
                session.model = resolved;
                await session.options.rememberModel(resolved);
                return resolved.model;
            },
        },
        mode: {
            get: () => session.mode,
            set: (mode) => {
                session.mode = mode;
            },
        },
        costs: {
            conversation: () => costs({ conversationId: session.conversationId }),
            allTime: () => costs({}),
        },
        memory: project.memory,
        context: { usage: () => session.contextUsage() },
        approvals: {
            automatic: () => project.grants.snapshot(),
            setAutomatic: (change) => project.grants.setAutomatic(change),
            allowedCommands: async () => (await project.grants.snapshot()).allowedCommands,
            removeCommand: async (command) => {
                await project.grants.removeCommand(command);
            },
        },
    };
}
