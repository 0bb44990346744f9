import { openAllowlist } from "../../host/operations/allowlist.js";
import { BaseCommand } from "../../host/command-line/base-command.js";
import { pathFlag, shellCommandArgument } from "../../host/command-line/flags.js";

export default class AllowlistRemove extends BaseCommand {
    static override summary = "Remove a command or a permission from the allowlist.";
    static override examples = [
        'north allowlist remove "npm test"',
        "north allowlist remove host:registry.npmjs.org",
    ];
    static override args = {
        command: shellCommandArgument({
            required: true,
            description: "Exact text of the command, or a permission from the list.",
        }),
    };
    static override flags = { path: pathFlag() };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(AllowlistRemove);
        const allowlist = await openAllowlist(this.directories.data, flags.path);
        await allowlist.remove(args.command);
        this.log(`North will ask again: ${args.command}`);
        return allowlist.report();
    }
}
