import { homedir } from "node:os";
import { Flags } from "@oclif/core";
import { typedArgument } from "../../host/command-line/flags.js";
import { PluginsCommand } from "../../host/command-line/npm-plugins.js";
import { planText } from "../../host/import/import-settings.js";
import { planAgentPlugin } from "../../host/import/install-agent-plugin.js";
import { applyConfirmed } from "../../host/operations/undo-conversation.js";

export default class PluginsInstall extends PluginsCommand {
    static override summary = "Install a plugin with npm, or an Agent Plugin from a folder.";
    static override description =
        "A folder or archive with a `plugin.json` (Agent Plugins 1.0) or `.claude-plugin/plugin.json` is copied to your own " +
        "skills, commands, agents and MCP servers, after a review; none of its code runs. npm installs everything else.";
    static override examples = [
        "north plugins install ./review-kit",
        "north plugins install ./review-kit-1.0.0.tgz --dry-run",
        "north plugins install north-provider-mistral",
    ];
    static override strict = false;
    static override args = {
        plugin: typedArgument({
            required: true,
            description: "A folder, an archive, or a package.",
        }),
    };
    static override flags = {
        "dry-run": Flags.boolean({ description: "Agent Plugin: only show what it brings." }),
        force: Flags.boolean({
            char: "f",
            description: "Agent Plugin: skip the confirmation. npm: fetch again.",
        }),
        silent: Flags.boolean({ char: "s", description: "npm: no output." }),
        verbose: Flags.boolean({ char: "v", description: "npm: all output." }),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(PluginsInstall);
        const { directories } = this;
        const plan = await planAgentPlugin(args.plugin.replace(/^file:/, ""), {
            directories,
            home: homedir(),
        });
        if (!plan) return this.runNpm("plugins:install", this.argv);
        this.log(planText(plan));
        const { changeSet, taken, left } = plan;
        const isNothing = flags["dry-run"] || changeSet.changes.length === 0;
        const applied =
            !isNothing &&
            (await applyConfirmed(plan, `Install ${plan.title}`, this.asking(flags.force)));
        if (!isNothing) this.log(applied ? "Done." : "Nothing changed.");
        return { taken, left, applied };
    }
}
