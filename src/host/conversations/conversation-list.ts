import path from "node:path";
import { formatCosts, formatInteger, localMinute } from "../../base/format.js";
import type { ConversationSummary } from "../../storage/conversations/conversation-summary.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";
import { originOf } from "./nested-runs.js";
import { warn } from "../warn.js";
import { table } from "../table.js";
import { NorthError } from "../../base/north-error.js";
import { findRoot } from "../../workspace/find-root.js";

/** Max silence before a list shows its progress. */
const SILENT_MS = 300;

/** The conversations of all projects, newest first. Warns on stderr about unreadable ones. */
export async function listConversations(
    dataFolder: string
): Promise<readonly ConversationSummary[]> {
    const { stderr } = process;
    const since = Date.now();
    let isShown = false;
    const progress = (read: number, total: number) => {
        if (!stderr.isTTY || Date.now() - since < SILENT_MS) return;
        isShown = true;
        stderr.write(
            `\rReading conversations (${formatInteger(read)} of ${formatInteger(total)}) \u001b[K`
        );
    };
    const warnings: string[] = [];
    const report = (warning: string) => warnings.push(warning);
    const summaries = await createConversationStore(dataFolder).list({ progress, report });
    if (isShown) stderr.write("\r\u001b[K");
    warnings.forEach(warn);
    return summaries;
}

export function conversationTable(summaries: readonly ConversationSummary[]): string {
    if (summaries.length === 0) return "There are no conversations yet. `north` starts one.";
    const isNested = summaries.some(({ nested }) => nested);
    return table(
        [
            ...["ID", "Last used", { right: "Messages" }, { right: "Cost" }, "Project"],
            ...(isNested ? ["Nested run"] : []),
            "Name or first words",
        ],
        summaries.map((summary) => [
            summary.id,
            localMinute(summary.updatedAt),
            String(summary.messageCount),
            formatCosts(summary.costUsd, summary.unpricedRequests),
            // A terminal needs the room for words; a script needs the path.
            process.stdout.isTTY ? path.basename(summary.root) || summary.root : summary.root,
            ...(isNested ? [summary.nested ? originOf(summary.nested) : ""] : []),
            (summary.name || summary.firstWords).slice(0, 50),
        ])
    );
}

/** A conversation in a few words. Rejects with `no-such-conversation`. */
export async function describeConversation(dataFolder: string, id: string): Promise<string> {
    const summary = (await listConversations(dataFolder)).find((known) => known.id === id);
    // `read` names the existing ids in its error, and finds logs that the list leaves out.
    if (!summary) await createConversationStore(dataFolder).read(id);
    const title = summary && (summary.name || summary.firstWords);
    return title ? `${id} ("${title}")` : id;
}

/** Rejects with `no-such-conversation` or `conversation-in-use`. */
export async function deleteConversation(dataFolder: string, id: string): Promise<void> {
    await createConversationStore(dataFolder).remove(id);
}

/**
 * Resolves a name or the first digits of an id to the id; returns anything else unchanged. Rejects
 * with `ambiguous-name`.
 */
export async function conversationIdOf(dataFolder: string, wanted: string): Promise<string> {
    if (/^[0-9a-f]{6}$/.test(wanted)) return wanted;
    const text = wanted.toLowerCase();
    const summaries = await listConversations(dataFolder);
    const named = summaries.filter(({ name }) => name?.toLowerCase() === text);
    // One digit is a typing error.
    const begun = text.length > 1 ? summaries.filter(({ id }) => id.startsWith(text)) : [];
    const found = named.length > 0 ? named : begun;
    if (found.length < 2) return found[0]?.id ?? wanted;
    const ids = found.map(({ id }) => id).join(", ");
    const what = named.length > 0 ? "are called" : "have an ID that begins with";
    throw new NorthError("ambiguous-name", `Several conversations ${what} "${wanted}".`, [
        `Use a whole ID instead: ${ids}.`,
    ]);
}

/** The id of the newest conversation in the repository around `folder`. */
export async function newestConversation(dataFolder: string, folder: string): Promise<string> {
    const { root } = await findRoot(folder);
    const summaries = await listConversations(dataFolder);
    const newest = summaries.find((summary) => summary.root === root);
    if (newest) return newest.id;
    throw new NorthError("no-such-conversation", `There is no conversation in ${root} yet.`, [
        "`north` starts one; `north conversations` lists those of all projects.",
    ]);
}
