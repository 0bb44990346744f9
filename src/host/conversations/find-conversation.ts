import { NorthError } from "../../base/north-error.js";
import { listConversations } from "./conversation-list.js";
import { findRoot } from "../../workspace/find-root.js";

/** The id of the newest conversation about the repository around a folder. */
export async function newestConversation(dataFolder: string, folder: string): Promise<string> {
    const { root } = await findRoot(folder);
    const summaries = await listConversations(dataFolder);
    const newest = summaries.find((summary) => summary.root === root);
    if (newest) return newest.id;
    throw new NorthError("no-such-conversation", `There is no conversation about ${root} yet.`, [
        "`north` starts one; `north conversations` lists those of all projects.",
    ]);
}
