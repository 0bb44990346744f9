import { askSecret } from "../chat/ask-secret.js";
import { BaseCommand } from "../host/base-command.js";
import { openKeyKeeper } from "../host/login.js";
import { typedArgument } from "../host/typed-argument.js";

export default class Login extends BaseCommand {
    static override summary = "Store the key of a provider.";
    static override description =
        "The key goes into the system's keychain, or where there is none into a file that only you may read.";
    static override examples = [
        "<%= config.bin %> login anthropic",
        "pass show anthropic | <%= config.bin %> login anthropic",
    ];
    static override args = {
        provider: typedArgument({ description: "The provider's id; anthropic if left out." }),
    };

    async run(): Promise<void> {
        const { args } = await this.parse(Login);
        const report = (warning: string) => this.logToStderr(warning);
        const keys = await openKeyKeeper(this.config, this.directories, process.env, report);
        const provider = keys.find(args.provider);
        const key = await askSecret(`Key for ${provider.displayName}:`, process.stdin);
        this.log(await keys.save(provider, key));
    }
}
