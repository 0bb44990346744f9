import { BaseCommand } from "../../host/command-line/base-command.js";
import { pathFlag, typedArgument } from "../../host/command-line/flags.js";
import { openRescues } from "../../host/effects/rescue.js";

export default class RescueRestore extends BaseCommand {
    static override summary = "Restore files that a command deleted or overwrote.";
    static override description = "The files they replace are kept too.";
    static override examples = ["north rescue restore", "north rescue restore 3fa2c1"];
    static override args = {
        id: typedArgument({
            description: "Rescue ID from `north rescue`; defaults to the newest.",
        }),
    };
    static override flags = { path: pathFlag() };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(RescueRestore);
        const files = await (await openRescues(this.directories.data, flags.path)).restore(args.id);
        this.log(files.length > 0 ? `Restored:\n${files.join("\n")}` : "Nothing changed.");
        return { files };
    }
}
