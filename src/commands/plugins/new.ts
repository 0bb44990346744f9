import path from "node:path";
import { BaseCommand } from "../../host/command-line/base-command.js";
import { typedArgument } from "../../host/command-line/flags.js";
import { writeNewPlugin } from "../../host/operations/new-plugin.js";

export default class PluginsNew extends BaseCommand {
    static override summary = "Create a plugin with a tool, a slash command and tests.";
    static override description =
        "The plugin is plain JavaScript with types in comments: nothing to build or install.";
    static override examples = ["north plugins new word_count"];
    static override args = {
        name: typedArgument({
            required: true,
            description: "Names the package (north-plugin-NAME), its tool and its slash command.",
        }),
    };

    async run(): Promise<unknown> {
        const { args } = await this.parse(PluginsNew);
        const parent = process.cwd();
        const folder = await writeNewPlugin(args.name, { northRoot: this.config.root, parent });
        const name = path.basename(folder);
        this.log(`Created ${name}. Next:`);
        this.log(`  cd ${name}\n  npm test\n  north plugins link --no-install`);
        return { folder };
    }
}
