import { BaseCommand } from "../../host/command-line/base-command.js";
import { pathFlag, shellCommandArgument, textFlag } from "../../host/command-line/flags.js";
import { triedText, tryCommand } from "../../host/operations/past-commands.js";

export default class AllowlistTry extends BaseCommand {
    static override summary = "Show what North would do with a command, without running it.";
    static override description =
        "Shows whether North would run it, run it contained or ask first, its consequences, and what you decided before.";
    static override examples = [
        'north allowlist try "npm test"',
        'north allowlist try "git push" --json',
    ];
    static override args = { command: shellCommandArgument({ required: true }) };
    static override flags = {
        path: pathFlag(),
        cwd: textFlag({
            default: ".",
            description: "Folder it would run in, relative to the repository root.",
            helpValue: "DIR",
        }),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(AllowlistTry);
        const place = { folder: flags.path, cwd: flags.cwd };
        const tried = await tryCommand(this.directories, args.command, place);
        this.log(triedText(tried));
        return tried;
    }
}
