import path from "node:path";
import { counted, localMinute, oneLine } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import { commandText } from "../../core/conversation/command-text.js";
import { replyTexts } from "../../core/conversation/reply-messages.js";
import { Conversation } from "../../core/conversation/fold.js";
import type { Entry } from "../../plugin/records.js";
import type { ConversationSummary } from "../../storage/conversations/conversation-summary.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";
import { openWorkspace } from "../../workspace/open-workspace.js";
import { table } from "../table.js";
import { warn } from "../warn.js";
import { listConversations } from "./conversation-list.js";

type ConversationHits = Awaited<ReturnType<typeof searchConversations>>;

const MAX_LINES = 20_000;

/** What of the conversations is searched, and how it is shown. */
interface SearchScope {
    /** Characters shown before and after the text. */
    readonly around: number;
    isSearched(entry: Entry, id: string): boolean;
    /** What is searched of a text. */
    clean(content: string): string;
}

const EVERYTHING: SearchScope = { around: 40, isSearched: () => true, clean: (content) => content };

/** Searches all conversations for a text, ignoring case. Newest conversation first. */
export async function searchConversations(dataFolder: string, text: string, limit: number) {
    const summaries = await listConversations(dataFolder);
    const { warnings, ...found } = await searchIn(
        dataFolder,
        summaries,
        { text, limit },
        EVERYTHING
    );
    warnings.forEach(warn);
    return found;
}

/** Searches these conversations, in their order. Rejects with `invalid-search`. */
export async function searchIn(
    dataFolder: string,
    summaries: readonly Pick<ConversationSummary, "id" | "root">[],
    { text, limit }: { readonly text: string; readonly limit: number },
    scope: SearchScope
) {
    if (text.trim() === "") {
        throw new NorthError("invalid-search", "The text to search for is empty.");
    }
    const hits: ({ id: string; root: string } & ReturnType<typeof hitsIn>[number])[] = [];
    const warnings: string[] = [];
    if (summaries.length === 0) return { hits, truncated: false, warnings };
    const store = createConversationStore(dataFolder);
    const { ids, truncated } = await logsWith(path.join(dataFolder, "conversations"), text);
    for (const { id, root } of summaries) {
        // The lines found of a common text may all be of older conversations.
        if (!truncated && !ids.has(id)) continue;
        if (hits.length >= limit) return { hits: hits.slice(0, limit), truncated: true, warnings };
        const { records, warnings: found } = await store.readAmong(id);
        warnings.push(...found);
        hits.push(
            ...hitsIn(Conversation.of(records), text, scope).map((hit) => ({ id, root, ...hit }))
        );
    }
    return { hits: hits.slice(0, limit), truncated: hits.length > limit, warnings };
}

/** Conversations whose logs contain the text, as escaped in JSON. */
async function logsWith(folder: string, text: string) {
    const pattern = `(?i)${literal(JSON.stringify(text).slice(1, -1))}`;
    const { matches, truncated } = await openWorkspace({ root: folder }).search(pattern, {
        regex: true,
        limit: MAX_LINES,
    });
    const logs = matches.filter((match) => match.path.endsWith(".jsonl"));
    return { ids: new Set(logs.map((match) => path.basename(match.path, ".jsonl"))), truncated };
}

function literal(text: string): string {
    return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Where a text is, ignoring case. Lower-cased it may have other indexes: `İ` becomes two. */
export function indexOfText(content: string, text: string): number {
    return content.search(new RegExp(literal(text), "iu"));
}

function hitsIn(
    { id, entries, inheritedEntries }: Conversation,
    text: string,
    { isSearched, clean, around }: SearchScope
) {
    let turn = 0;
    return entries.flatMap((entry, index) => {
        if (entry.kind === "user") turn += 1;
        if (index < inheritedEntries || !isSearched(entry, id)) return [];
        const [who, words] = wordsOf(entry);
        if (indexOfText(words, text) < 0) return [];
        const content = clean(words);
        const at = indexOfText(content, text);
        if (at < 0) return [];
        const excerpt = excerptOf(content, at, { length: text.length, around });
        return [{ at: entry.at, turn, who, excerpt }];
    });
}

function wordsOf(entry: Entry): readonly ["you" | "model" | "tool", string] {
    switch (entry.kind) {
        case "user":
            return ["you", entry.text];
        case "command":
            return ["you", commandText(entry)];
        case "assistant":
            return ["model", replyTexts(entry).join("\n")];
        case "tool_result":
            return ["tool", `${entry.intent}\n${entry.text ?? entry.content}`];
        default:
            return ["tool", ""];
    }
}

function excerptOf(
    content: string,
    at: number,
    { length, around }: { readonly length: number; readonly around: number }
): string {
    const from = Math.max(0, at - around);
    const to = at + length + around;
    const excerpt = oneLine(content.slice(from, to));
    return `${from > 0 ? "…" : ""}${excerpt}${to < content.length ? "…" : ""}`;
}

export function hitTable({ hits, truncated }: ConversationHits): string {
    if (hits.length === 0) return "No conversation contains that text.";
    const rows = hits.map(({ id, at, turn, who, root, excerpt }) => [
        id,
        localMinute(at),
        String(turn),
        who,
        root,
        excerpt,
    ]);
    const more = truncated ? " There are more; raise --limit to list them." : "";
    return [
        table(["ID", "When", "Turn", "Who", "Project", "Text"], rows),
        `${counted(hits.length, "match", "matches")}.${more} \`north resume ID\` opens a conversation.`,
    ].join("\n\n");
}
