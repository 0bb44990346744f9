import { createObjectStore } from "../../storage/files/object-store.js";
import { createRescueStore, type Rescue } from "../../storage/files/rescue-store.js";
import { findRoot } from "../../workspace/find-root.js";
import { findRescue, rescueLine, restoreRescue } from "./rescue.js";

/** What is kept for the repository around a folder. */
export async function openRescues(dataFolder: string, folder: string) {
    const { root } = await findRoot(folder);
    const rescues = createRescueStore(dataFolder, root, () => {});
    const place = { rescues, contents: createObjectStore(dataFolder) };
    return {
        rescues,
        restore: async (id?: string) => restoreRescue(await findRescue(rescues, id), place),
        text: (kept: readonly Rescue[]) =>
            kept.length > 0
                ? kept.map(rescueLine).join("\n")
                : "No files are kept for this project.",
    };
}
