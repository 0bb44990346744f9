import { BaseCommand } from "../../host/command-line/base-command.js";
import { pathFlag, typedArgument } from "../../host/command-line/flags.js";
import { openTrust } from "../../host/operations/trust.js";

export default class TrustDeny extends BaseCommand {
    static override summary = "Deny an item that came with the repository, and stop mentioning it.";
    static override description =
        "The ID stands for exactly what was listed; a changed item gets a new one.";
    static override examples = ["north trust deny 3f2a90c1b7de"];
    static override args = {
        id: typedArgument({ required: true, description: "Item ID; see `north trust`." }),
    };
    static override flags = { path: pathFlag() };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(TrustDeny);
        const trust = await openTrust(this.directories, flags.path);
        const decided = await trust.deny(args.id);
        this.log(`Denied: ${decided.text}`);
        return [decided];
    }
}
