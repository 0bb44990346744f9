import { BaseCommand } from "../../host/command-line/base-command.js";
import { pathFlag } from "../../host/command-line/path-flag.js";
import { typedArgument } from "../../host/command-line/typed-argument.js";
import { openRescues } from "../../host/effects/open-rescues.js";

export default class RescueRestore extends BaseCommand {
    static override summary = "Bring files back that a command deleted or overwrote.";
    static override description = "What stands in their place now is kept in turn.";
    static override enableJsonFlag = true;
    static override examples = [
        "<%= config.bin %> rescue restore",
        "<%= config.bin %> rescue restore 3fa2c1",
    ];
    static override args = {
        id: typedArgument({ description: "Rescue ID, see `north rescue`; the newest if absent." }),
    };
    static override flags = { path: pathFlag() };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(RescueRestore);
        const files = await (await openRescues(this.directories.data, flags.path)).restore(args.id);
        this.log(files.length > 0 ? `Brought back:\n${files.join("\n")}` : "All is as it was.");
        return { files };
    }
}
