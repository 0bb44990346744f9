import { canAsk, confirmInTerminal, askSecret } from "../chat/questions/ask-in-terminal.js";
import { Flags } from "@oclif/core";
import { withSpinner } from "../chat/terminal/spinner.js";
import { BaseCommand } from "../host/command-line/base-command.js";
import {
    type KeyCheck,
    kindOfKey,
    openKeyKeeper,
    storedKeySentences,
} from "../host/models/login.js";
import { typedArgument } from "../host/command-line/flags.js";
import { NorthError } from "../base/north-error.js";

export default class Login extends BaseCommand {
    static override summary = "Store a provider's API key.";
    static override description =
        "Prompts for the key without showing it, or reads it from stdin. Checks it with the provider and does not store a rejected key. Stores it in the system keychain or, if there is none, in a file that only you can read.";
    static override examples = [
        "north login anthropic",
        "north login openai < keyfile",
        "north login openrouter --browser",
        "north login chatgpt",
        "$ pass show anthropic | north login anthropic",
    ];
    static override args = {
        provider: typedArgument({ description: "Provider ID; defaults to anthropic." }),
    };

    static override flags = {
        browser: Flags.boolean({
            description: "Sign in with a browser instead of a key, where the provider offers it.",
        }),
    };

    /** Questions go to stderr, so that stdout can be redirected. */
    private readonly place = { stdin: process.stdin, stdout: process.stderr };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(Login);
        const report = (warning: string) => this.logToStderr(warning);
        const keys = await openKeyKeeper(this.config, this.directories, process.env, report);
        const provider = keys.find(args.provider);
        const show = (url: string) =>
            this.logToStderr(`Open this URL to sign in to ${provider.displayName}:\n${url}`);
        const kind = kindOfKey(provider);
        const key =
            flags.browser || kind === "sign-in"
                ? await keys.signIn(provider, show)
                : await askSecret(
                      `Key for ${provider.displayName}${provider.signIn ? " (or use --browser)" : ""}:`,
                      this.place
                  );
        const wait = `Checking the ${kind} with ${provider.displayName}`;
        const check = await withSpinner(wait, () => keys.check(provider, key), this.place.stdout);
        if (check.kind === "failed") await this.agreeToKeep(kind, check);
        const stored = await keys.save(provider, key);
        this.log(storedKeySentences(provider, check, stored));
        return { ...stored, test: check };
    }

    /** In a terminal the user decides; a script stores the key unchecked. */
    private async agreeToKeep(
        kind: string,
        { reason }: KeyCheck & { kind: "failed" }
    ): Promise<void> {
        this.logToStderr(`Could not check the ${kind}. ${reason}`);
        if (!canAsk(this.place)) return;
        if (await confirmInTerminal("Store it unchecked?", {}, this.place)) return;
        throw new NorthError("key-untested", "Nothing was stored.");
    }
}
