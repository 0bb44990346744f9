import type { NorthDirectories } from "../../storage/files/directories.js";
import { openStores } from "../stores/open-stores.js";
import { readAgentPlugin } from "./agent-plugin.js";
import { type ImportPlan, planImport } from "./plan-import.js";

interface InstallRequest {
    readonly directories: NorthDirectories;
    readonly home: string;
}

/**
 * Plans to take what an Agent Plugin brings into the user's own folder; `undefined` if the place has
 * none.
 */
export async function planAgentPlugin(
    place: string,
    { directories, home }: InstallRequest
): Promise<(ImportPlan & { readonly title: string }) | undefined> {
    const plugin = await readAgentPlugin(place);
    if (!plugin) return undefined;
    const stores = await openStores(directories.data, process.cwd());
    const plan = await planImport(plugin.settings, {
        ...{ stores, home, configFolder: directories.config },
        requireModel: () => {},
    });
    return { ...plan, title: plugin.name };
}
