import { counted } from "../../base/format.js";
import { openAllowlist } from "../../host/operations/allowlist.js";
import { BaseCommand } from "../../host/command-line/base-command.js";
import { pathFlag } from "../../host/command-line/flags.js";

export default class AllowlistClear extends BaseCommand {
    static override summary = "Remove all commands from the allowlist.";
    static override examples = ["north allowlist clear"];
    static override flags = { path: pathFlag() };

    async run(): Promise<unknown> {
        const { flags } = await this.parse(AllowlistClear);
        const allowlist = await openAllowlist(this.directories.data, flags.path);
        const count = await allowlist.clear();
        this.log(
            `Removed ${counted(count, "command")}. North asks again before running any of them.`
        );
        return allowlist.report();
    }
}
