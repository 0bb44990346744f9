import { Conversation } from "../../core/conversation/fold.js";
import { type Evidence, type ReadChecks, evidenceByTurn } from "../../core/history/evidence.js";
import type { Entry } from "../../plugin/records.js";
import { readConfig } from "../../storage/config.js";
import { checkFinder } from "../effects/check-finder.js";
import {
    type ConversationSummary,
    isUnpriced,
} from "../../storage/conversations/conversation-summary.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";
import { assertNotLost } from "./open-conversation.js";
import { sumUsd } from "../../base/money.js";

type Head =
    | "id"
    | "root"
    | "provider"
    | "model"
    | "startedAt"
    | "costUsd"
    | "unpricedRequests"
    | "nested";

export interface ExportedConversation extends Pick<ConversationSummary, Head> {
    readonly version: 1;
    readonly entries: readonly Entry[];
    /** For each turn that edited files. `afterEntry` is the id of the turn's last entry. */
    readonly evidence: readonly (Evidence & { readonly afterEntry: string })[];
}

export async function exportedConversation(
    conversation: Conversation,
    readChecks: ReadChecks
): Promise<ExportedConversation> {
    const { id, root, provider, model, startedAt, nested, entries, billedBeside } = conversation;
    const replies = entries.filter((entry) => entry.kind === "assistant");
    const requests = [...replies, ...billedBeside];
    const costUsd = sumUsd(requests.map((request) => request.costUsd ?? 0));
    const unpricedRequests = requests.filter(isUnpriced).length;
    const found = await evidenceByTurn(entries, readChecks);
    const evidence = [...found].map(([afterEntry, each]) => ({ afterEntry, ...each }));
    return {
        version: 1,
        id,
        root,
        provider,
        model,
        startedAt,
        costUsd,
        unpricedRequests,
        ...(nested && { nested }),
        entries: [...entries],
        evidence,
    };
}

/** Like `exportedConversation`, with the check commands of the user's settings. */
export async function exportedWithSettings(
    conversation: Conversation,
    configFolder: string
): Promise<ExportedConversation> {
    const { checkCommands } = await readConfig(configFolder);
    return exportedConversation(conversation, checkFinder(conversation.root, checkCommands));
}

export function evidenceAfter(
    { evidence }: ExportedConversation,
    { id }: Entry
): string | undefined {
    return evidence.find(({ afterEntry }) => afterEntry === id)?.text;
}

/** Reads a conversation without opening it; it may be open elsewhere. Rejects like `read` and `assertNotLost`. */
export async function storedConversation(
    dataFolder: string,
    id: string
): Promise<{ readonly conversation: Conversation; readonly warnings: readonly string[] }> {
    const { records, warnings } = await createConversationStore(dataFolder).read(id);
    assertNotLost(id, { records, warnings });
    const conversation = Conversation.of(records);
    conversation.closeOpenCalls();
    return { conversation, warnings };
}
