import type { Conversation } from "../../core/conversation/fold.js";
import type { Secrets } from "../../core/agent/turn.js";
import type { Recalled, Tool } from "../../plugin/index.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";
import { indexOfText, searchIn } from "./search-conversations.js";

interface RecallRequest {
    readonly dataFolder: string;
    readonly state: Pick<Conversation, "id" | "root" | "entries">;
    readonly tools: ReadonlyMap<string, Tool>;
    readonly secrets: Pick<Secrets, "text"> | undefined;
}

const MAX_HITS = 8;
const MAX_TOKENS = 200;
const AROUND = 400;
/** Characters. */
const CUT = 8;

/** See `Recall`. The current turn is left out: the model sees it. */
export async function recall(
    { dataFolder, state, tools, secrets }: RecallRequest,
    text: string
): Promise<readonly Recalled[]> {
    const { id: own, root, entries } = state;
    const since = entries.findLast(({ kind }) => kind === "user")?.at ?? 0;
    const all = await createConversationStore(dataFolder).list();
    const summaries = all.filter((summary) => summary.root === root);
    const { hits } = await searchIn(
        dataFolder,
        summaries,
        { text, limit: MAX_HITS },
        {
            around: AROUND,
            // Masked before the search, so that no guess finds a secret.
            clean: (content) => secrets?.text(content) ?? content,
            isSearched(entry, id) {
                if (id === own && entry.at >= since) return false;
                if (entry.kind !== "tool_result") return true;
                const tool = tools.get(entry.name);
                return tool !== undefined && !tool.fromOutside;
            },
        }
    );
    return hits.map(({ id, turn, at, who, excerpt }) => ({
        ...{ conversationId: id, turn, at, who },
        excerpt: within(excerpt, text),
    }));
}

/** Cuts the end that is further from the text, or the text's own end. */
function within(excerpt: string, text: string): string {
    let cut = excerpt;
    while (tokensAtMost(cut) > MAX_TOKENS) {
        const above = indexOfText(cut, text);
        const below = cut.length - above - text.length;
        cut = above > below ? `…${cut.slice(CUT)}` : `${cut.slice(0, -CUT)}…`;
    }
    return cut;
}

/** No tokenizer makes more of a text: words are cheap, codes and other scripts are not. */
function tokensAtMost(text: string): number {
    let tokens = 0;
    for (const character of text) {
        if (/[a-z ]/.test(character)) tokens += 0.6;
        else tokens += Buffer.byteLength(character);
    }
    return tokens;
}
