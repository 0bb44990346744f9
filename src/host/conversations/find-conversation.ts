import { NorthError } from "../../base/north-error.js";
import { listConversations } from "./conversation-list.js";
import { findRoot } from "../../workspace/find-root.js";

/**
 * The id that the user means by an id or a name. What is neither is returned as it is, for the reader of
 * logs knows the ids that are near. Rejects with `ambiguous-name`.
 */
export async function meantConversation(dataFolder: string, wanted: string): Promise<string> {
    if (/^[0-9a-f]{6}$/.test(wanted)) return wanted;
    const summaries = await listConversations(dataFolder);
    const named = summaries.filter(({ name }) => name?.toLowerCase() === wanted.toLowerCase());
    if (named.length < 2) return named[0]?.id ?? wanted;
    const ids = named.map(({ id }) => id).join(", ");
    throw new NorthError("ambiguous-name", `Several conversations are called "${wanted}".`, [
        `Name one by its id: ${ids}.`,
    ]);
}

/** The id of the newest conversation about the repository around a folder. */
export async function newestConversation(dataFolder: string, folder: string): Promise<string> {
    const { root } = await findRoot(folder);
    const summaries = await listConversations(dataFolder);
    const newest = summaries.find((summary) => summary.root === root);
    if (newest) return newest.id;
    throw new NorthError("no-such-conversation", `There is no conversation in ${root} yet.`, [
        "`north` starts one; `north conversations` lists those of all projects.",
    ]);
}
