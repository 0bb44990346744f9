import { sha256 } from "../../base/sha256.js";
import {
    installedAgentPlugins,
    recordAgentPlugin,
    serverHash,
} from "../../storage/agent-plugins.js";
import type { NorthDirectories } from "../../storage/files/directories.js";
import { openStores } from "../open-stores.js";
import { warn } from "../warn.js";
import { readAgentPlugin } from "./agent-plugin.js";
import { type ImportPlan, planImport, type PlannedSetting } from "./plan-import.js";

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
    const { name, version, settings } = plugin;
    const { config, data } = directories;
    const former = (await installedAgentPlugins(config)).get(name);
    const stores = await openStores(data, process.cwd());
    const plan = await planImport(settings, {
        ...{ stores, home, configFolder: config, former },
        requireModel: () => {},
    });
    const { files, servers } = hashesOf(plan.taken);
    const installed = {
        ...(version !== undefined && { version }),
        files: { ...former?.files, ...files },
        servers: { ...former?.servers, ...servers },
    };
    return {
        ...plan,
        title: name,
        apply: () => plan.apply(() => recordAgentPlugin(config, name, installed, warn)),
    };
}

function hashesOf(settings: readonly PlannedSetting[]) {
    const taken = settings.flatMap((each) => each.taken ?? []);
    const files = taken.flatMap((each) =>
        each.kind === "file" ? [[each.to, sha256(each.content)]] : []
    );
    const servers = taken.flatMap((each) =>
        each.kind === "server" ? [[each.name, serverHash(each.definition)]] : []
    );
    return { files: Object.fromEntries(files), servers: Object.fromEntries(servers) };
}
