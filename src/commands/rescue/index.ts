import { BaseCommand } from "../../host/command-line/base-command.js";
import { pathFlag } from "../../host/command-line/flags.js";
import { openRescues } from "../../host/effects/rescue.js";

export default class Rescues extends BaseCommand {
    static override summary = "List files that commands deleted or overwrote.";
    static override description =
        "Before an approved command runs, North copies the files it would delete or overwrite that are not in git, " +
        "up to 100 MB.";
    static override examples = ["north rescue", "north rescue restore 3fa2c1"];
    static override flags = { path: pathFlag() };

    async run(): Promise<unknown> {
        const { flags } = await this.parse(Rescues);
        const { rescues, text } = await openRescues(this.directories.data, flags.path);
        const kept = await rescues.list();
        this.log(text(kept));
        return kept;
    }
}
