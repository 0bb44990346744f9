import { openAllowlist } from "../../host/operations/allowlist.js";
import { BaseCommand } from "../../host/command-line/base-command.js";
import { pathFlag, shellCommandArgument, textFlag } from "../../host/command-line/flags.js";

export default class AllowlistAdd extends BaseCommand {
    static override summary = "Allow a command to run without asking in this project.";
    static override description = "Matches this exact text, in one folder only.";
    static override examples = [
        'north allowlist add "npm test"',
        'north allowlist add "cargo check" --cwd crates/core',
    ];
    static override args = { command: shellCommandArgument({ required: true }) };
    static override flags = {
        path: pathFlag(),
        cwd: textFlag({
            default: ".",
            description: "Folder it may run in, relative to the repository root.",
            helpValue: "DIR",
        }),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(AllowlistAdd);
        const allowlist = await openAllowlist(this.directories.data, flags.path);
        const added = await allowlist.add(args.command, flags.cwd);
        this.log(`Allowed to run without asking: ${added.command} (in ${added.cwd || "."})`);
        return added;
    }
}
