import { Flags } from "@oclif/core";
import { BaseCommand } from "../../host/command-line/base-command.js";
import { listAgentPlugins } from "../../host/import/uninstall-agent-plugin.js";

export default class Plugins extends BaseCommand {
    static override summary = "List the installed plugins.";
    static override description = "Packages from npm, linked folders, and Agent Plugins.";
    static override examples = ["north plugins", "north plugins --json"];
    static override flags = {
        core: Flags.boolean({ description: "Include North's own plugins." }),
    };

    async run(): Promise<unknown> {
        const { flags } = await this.parse(Plugins);
        const hidden = flags.core ? ["dev"] : ["dev", "core"];
        const packages = this.config
            .getPluginsList()
            .filter(({ root, type }) => root !== this.config.root && !hidden.includes(type))
            .map(({ name, version, type, root }) => ({ name, version, type, root }));
        const agentPlugins = await listAgentPlugins(this.directories);
        const plugins = [...packages, ...agentPlugins].sort((one, other) =>
            one.name.localeCompare(other.name)
        );
        if (plugins.length === 0) this.log("No plugins installed.");
        for (const plugin of plugins) this.log(row(plugin));
        return plugins;
    }
}

interface ListedPlugin {
    readonly name: string;
    readonly version: string | undefined;
    readonly type: string;
    readonly root?: string;
}

function row({ name, version, type, root }: ListedPlugin): string {
    const kinds: Readonly<Record<string, string>> = {
        user: "",
        link: ` (link) ${root}`,
        agent: " (Agent Plugin)",
    };
    return `${name}${version === undefined ? "" : ` ${version}`}${kinds[type] ?? ` (${type})`}`;
}
