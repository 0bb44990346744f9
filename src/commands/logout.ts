import { BaseCommand } from "../host/command-line/base-command.js";
import { forgottenKeySentences, openKeyKeeper } from "../host/models/login.js";
import { typedArgument } from "../host/command-line/flags.js";

export default class Logout extends BaseCommand {
    static override summary = "Remove a provider's stored API key.";
    static override examples = ["north logout anthropic"];
    static override args = {
        provider: typedArgument({ description: "Provider ID; defaults to anthropic." }),
    };

    async run(): Promise<unknown> {
        const { args } = await this.parse(Logout);
        const report = (warning: string) => this.logToStderr(warning);
        const keys = await openKeyKeeper(this.config, this.directories, process.env, report);
        const provider = keys.find(args.provider);
        const forgotten = await keys.forget(provider);
        this.log(forgottenKeySentences(provider, forgotten));
        return forgotten;
    }
}
