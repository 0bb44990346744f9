import { counted } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import { Conversation } from "../../core/conversation/fold.js";
import { turnsOf } from "../../core/conversation/turns.js";
import {
    type ConversationStore,
    createConversationStore,
} from "../../storage/conversations/conversations.js";

/**
 * Starts a conversation with the turns of another one, up to `turn` if given. Changes neither the
 * other conversation nor any file. Rejects with `no-such-conversation`, `no-such-turn` or
 * `nothing-said`.
 */
export async function forkConversation(store: ConversationStore, id: string, turn?: number) {
    const forkedFrom = await store.cut(id, turn);
    const state = Conversation.of((await store.read(id)).records);
    const turns = turnsOf(state.entries);
    if (turns.every(({ number }) => number === 0)) {
        throw new NorthError("nothing-said", `Conversation ${id} has no messages yet.`);
    }
    const { root, provider, model } = state;
    const start = { id: store.newId(), root, provider, model, forkedFrom };
    const { journal } = await store.start(start);
    await journal.sync();
    await journal.close();
    const later = turns.filter(({ number }) => turn !== undefined && number > turn);
    const edits = later.flatMap(({ inEffect }) => inEffect).length;
    const notice = `Files stay as they are, with ${counted(edits, "later edit")} from ${id}.`;
    return { id: start.id, notices: edits > 0 ? [notice] : [] };
}

export function forkStored(dataFolder: string, id: string, turn?: number) {
    return forkConversation(createConversationStore(dataFolder), id, turn);
}
