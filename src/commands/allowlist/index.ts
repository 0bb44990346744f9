import { allowlistText, openAllowlist } from "../../host/operations/allowlist.js";
import { BaseCommand } from "../../host/command-line/base-command.js";
import { pathFlag } from "../../host/command-line/flags.js";

export default class Allowlist extends BaseCommand {
    static override summary = "List the commands and hosts allowed without asking in this project.";
    static override examples = [
        "north allowlist",
        'north allowlist add "npm test"',
        'north allowlist remove "npm test"',
    ];
    static override flags = { path: pathFlag() };

    async run(): Promise<unknown> {
        const { flags } = await this.parse(Allowlist);
        const report = await (await openAllowlist(this.directories.data, flags.path)).report();
        this.log(await allowlistText(report));
        return report;
    }
}
