import { BaseCommand } from "../../host/command-line/base-command.js";
import { pathFlag } from "../../host/command-line/flags.js";
import { openTrust, trustText } from "../../host/operations/trust.js";

export default class Trust extends BaseCommand {
    static override summary = "List the repository's items that need your permission.";
    static override aliases = ["trust:list"];
    static override examples = [
        "north trust",
        "north trust allow 3f2a90c1b7de",
        "north trust deny 3f2a90c1b7de",
    ];
    static override flags = { path: pathFlag() };

    async run(): Promise<unknown> {
        const { flags } = await this.parse(Trust);
        const brought = await (await openTrust(this.directories, flags.path)).list();
        this.log(trustText(brought));
        return brought;
    }
}
