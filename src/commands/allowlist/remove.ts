import { openAllowlist } from "../../host/project/allowlist.js";
import { BaseCommand } from "../../host/command-line/base-command.js";
import { pathFlag } from "../../host/command-line/path-flag.js";
import { typedArgument } from "../../host/command-line/typed-argument.js";

export default class AllowlistRemove extends BaseCommand {
    static override summary = "Ask again before this command runs.";
    static override examples = ['<%= config.bin %> allowlist remove "npm test"'];
    static override args = {
        command: typedArgument({ required: true, description: "The whole command." }),
    };
    static override flags = { path: pathFlag() };

    async run(): Promise<void> {
        const { args, flags } = await this.parse(AllowlistRemove);
        await (await openAllowlist(this.directories.data, flags.path)).remove(args.command);
        this.log(`Asks again before it runs: ${args.command}`);
    }
}
