import { isFields } from "../../base/fields.js";
import { NorthError } from "../../base/north-error.js";
import {
    installedAgentPlugins,
    recordAgentPlugin,
    serverHash,
} from "../../storage/agent-plugins.js";
import type { NorthDirectories } from "../../storage/files/directories.js";
import { openStores } from "../open-stores.js";
import { warn } from "../warn.js";
import { type TargetChange, CHANGED, GONE, type PlannedChanges, Targets } from "./targets.js";

/** What an uninstallation removes, and what it keeps and why. */
interface UninstallPlan extends PlannedChanges {
    readonly removed: readonly string[];
    readonly kept: readonly { readonly what: string; readonly reason: string }[];
}

/** The Agent Plugins installed, with what each brought. */
export async function listAgentPlugins({ config }: Pick<NorthDirectories, "config">) {
    return [...(await installedAgentPlugins(config))].map(([name, plugin]) => ({
        ...{ name, version: plugin.version, type: "agent" },
        ...{ files: Object.keys(plugin.files), servers: Object.keys(plugin.servers) },
    }));
}

/** Plans to remove what the installation of an Agent Plugin wrote. Rejects with `not-found`. */
export async function planUninstall(
    name: string,
    { config, data }: NorthDirectories,
    home: string
): Promise<UninstallPlan> {
    const plugin = (await installedAgentPlugins(config)).get(name);
    if (!plugin) throw new NorthError("not-found", `${name} is not installed.`);
    const { root } = await openStores(data, process.cwd());
    const targets = new Targets({ configFolder: config, home, root });
    const settings = [
        ...Object.entries(plugin.files).map(([file, hash]) => ({
            what: file,
            ...targets.remove(file, hash),
        })),
        ...Object.entries(plugin.servers).map(([server, hash]) => ({
            what: `mcp.json: mcpServers.${server}`,
            ...removeServer(targets, server, hash),
        })),
    ];
    const changes = targets.plan();
    return {
        removed: settings.flatMap(({ what, reason }) => (reason === undefined ? what : [])),
        kept: settings.flatMap(({ what, reason }) =>
            reason === undefined ? [] : { what, reason }
        ),
        changeSet: changes.changeSet,
        async apply() {
            await changes.apply();
            await recordAgentPlugin(config, name, undefined, warn);
        },
    };
}

function removeServer(targets: Targets, name: string, hash: string): TargetChange {
    return targets.change("servers", (value) => {
        const servers = isFields(value.mcpServers) ? value.mcpServers : {};
        const { [name]: server, ...others } = servers;
        if (server === undefined) return GONE.reason;
        if (serverHash(server) !== hash) return CHANGED.reason;
        value.mcpServers = others;
        return undefined;
    });
}
