import { homedir } from "node:os";
import { Flags } from "@oclif/core";
import { typedArgument } from "../../host/command-line/flags.js";
import { PluginsCommand, requirePackages } from "../../host/command-line/npm-plugins.js";
import { listAgentPlugins, planUninstall } from "../../host/import/uninstall-agent-plugin.js";
import { applyConfirmed } from "../../host/operations/undo-conversation.js";

export default class PluginsUninstall extends PluginsCommand {
    static override summary = "Uninstall a plugin.";
    static override description =
        "Removes the skills, commands, agents and MCP servers that an Agent Plugin installed, after a review, and keeps what " +
        "you have changed since. Removes packages with npm.";
    static override aliases = ["plugins:remove", "plugins:unlink"];
    static override examples = [
        "north plugins uninstall review-kit",
        "north plugins uninstall north-provider-mistral",
    ];
    static override strict = false;
    static override args = {
        plugin: typedArgument({
            description: "A plugin's name. Default: the linked folder you are in.",
        }),
    };
    static override flags = {
        force: Flags.boolean({ char: "f", description: "Agent Plugin: skip the confirmation." }),
        verbose: Flags.boolean({ char: "v", description: "npm: all output." }),
    };

    async run(): Promise<unknown> {
        const { argv, flags } = await this.parse(PluginsUninstall);
        const names = argv.length === 0 ? ["."] : argv.map(String);
        const others = (await listAgentPlugins(this.directories)).map(({ name }) => name);
        const packages = names.filter((name) => !others.includes(name));
        await requirePackages(packages, others, this.config);
        const agentPlugins = [];
        for (const name of names) {
            if (others.includes(name)) agentPlugins.push(await this.uninstall(name, flags.force));
        }
        if (packages.length > 0) {
            const verbose = flags.verbose ? ["--verbose"] : [];
            await this.runNpm("plugins:uninstall", [...packages, ...verbose]);
        }
        return { agentPlugins, packages };
    }

    private async uninstall(name: string, force: boolean) {
        const { removed, kept, ...plan } = await planUninstall(name, this.directories, homedir());
        for (const { what, reason } of kept) this.log(`Keeps ${what}: ${reason}.`);
        // Without changes there is nothing to review: only the record goes.
        const isNothing = plan.changeSet.changes.length === 0;
        if (isNothing) await plan.apply();
        const applied =
            isNothing || (await applyConfirmed(plan, `Uninstall ${name}`, this.asking(force)));
        this.log(applied ? `Uninstalled ${name}.` : "Nothing changed.");
        return { name, removed, kept, applied };
    }
}
