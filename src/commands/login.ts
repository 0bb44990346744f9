import { canAsk, confirmInTerminal } from "../chat/questions/ask-in-terminal.js";
import { askSecret } from "../chat/questions/ask-secret.js";
import { withSpinner } from "../chat/terminal/spinner.js";
import { BaseCommand } from "../host/command-line/base-command.js";
import { type KeyCheck, openKeyKeeper, storedKeySentences } from "../host/models/login.js";
import { typedArgument } from "../host/command-line/typed-argument.js";
import { NorthError } from "../base/north-error.js";

export default class Login extends BaseCommand {
    static override summary = "Store the key of a provider.";
    static override description =
        "Asks for the key without showing it, or reads it from stdin, and asks the provider whether it is accepted; a refused key is not stored. The key goes into the system's keychain, or where there is none into a file that only you may read.";
    static override enableJsonFlag = true;
    static override examples = [
        "<%= config.bin %> login anthropic",
        "<%= config.bin %> login openai < keyfile",
        "$ pass show anthropic | <%= config.bin %> login anthropic",
    ];
    static override args = {
        provider: typedArgument({ description: "The provider's id; anthropic if left out." }),
    };

    /** Questions go to stderr, so that stdout can be sent elsewhere. */
    private readonly place = { input: process.stdin, output: process.stderr };

    async run(): Promise<unknown> {
        const { args } = await this.parse(Login);
        const report = (warning: string) => this.logToStderr(warning);
        const keys = await openKeyKeeper(this.config, this.directories, process.env, report);
        const provider = keys.find(args.provider);
        const key = await askSecret(`Key for ${provider.displayName}:`, this.place);
        const wait = `Asking ${provider.displayName} whether it accepts the key`;
        const check = await withSpinner(wait, () => keys.check(provider, key), this.place.output);
        if (check.kind === "failed") await this.agreeToKeep(check);
        const stored = await keys.save(provider, key);
        this.log(storedKeySentences(provider, check, stored));
        return { ...stored, test: check };
    }

    /** Whoever sits at the terminal decides; a script gets what it asked for. */
    private async agreeToKeep({ reason }: KeyCheck & { kind: "failed" }): Promise<void> {
        this.logToStderr(`The key could not be tested. ${reason}`);
        if (!canAsk(this.place)) return;
        if (await confirmInTerminal("Store it untested?", this.place)) return;
        throw new NorthError("key-untested", "Nothing was stored.");
    }
}
