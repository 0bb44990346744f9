import { NorthError } from "../plugin/north-error.js";
import { createConversationStore } from "../storage/conversations.js";
import { findRoot } from "../workspace/find-root.js";

/** Which conversation is meant: by id, or the newest of the repository around a folder. */
export interface ConversationWish {
    readonly id: string | undefined;
    readonly folder: string;
}

/** Rejects with `no-such-conversation`. */
export async function findConversation(
    dataFolder: string,
    { id, folder }: ConversationWish
): Promise<{ id: string; root: string }> {
    const store = createConversationStore(dataFolder);
    if (id !== undefined) {
        const { records } = await store.read(id);
        const started = records.find(({ type }) => type === "conversation_started");
        return { id, root: started?.type === "conversation_started" ? started.root : folder };
    }
    const { root } = await findRoot(folder);
    const newest = (await store.list()).find((summary) => summary.root === root);
    if (newest) return { id: newest.id, root };
    throw new NorthError("no-such-conversation", `There is no conversation about ${root} yet.`, [
        "`north` begins one; `north conversations` lists those of all projects.",
    ]);
}
