import { BaseCommand } from "../host/command-line/base-command.js";
import { forgottenKeySentences, openKeyKeeper } from "../host/models/login.js";
import { typedArgument } from "../host/command-line/typed-argument.js";

export default class Logout extends BaseCommand {
    static override summary = "Forget the stored key of a provider.";
    static override enableJsonFlag = true;
    static override examples = ["<%= config.bin %> logout anthropic"];
    static override args = {
        provider: typedArgument({ description: "The provider's id; anthropic if left out." }),
    };

    async run(): Promise<unknown> {
        const { args } = await this.parse(Logout);
        const report = (warning: string) => this.logToStderr(warning);
        const keys = await openKeyKeeper(this.config, this.directories, process.env, report);
        const forgotten = await keys.forget(keys.find(args.provider));
        this.log(forgottenKeySentences(forgotten));
        return forgotten;
    }
}
