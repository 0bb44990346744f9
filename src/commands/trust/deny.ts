import { BaseCommand } from "../../host/command-line/base-command.js";
import { pathFlag } from "../../host/command-line/path-flag.js";
import { typedArgument } from "../../host/command-line/typed-argument.js";
import { openTrust } from "../../host/project/trust.js";

export default class TrustDeny extends BaseCommand {
    static override summary =
        "Refuse something that came with the repository; it is not mentioned again.";
    static override description =
        "The id names exactly what was listed: what changed since needs a new answer.";
    static override enableJsonFlag = true;
    static override examples = ["<%= config.bin %> trust deny 3f2a90c1b7de"];
    static override args = {
        id: typedArgument({ required: true, description: "As `north trust` lists it." }),
    };
    static override flags = { path: pathFlag() };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(TrustDeny);
        const trust = await openTrust(this.directories.data, flags.path);
        const decided = await trust.deny([args.id]);
        for (const { text } of decided) this.log(`Refused: ${text}`);
        return decided;
    }
}
