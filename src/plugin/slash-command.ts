import type { SlashScreen } from "./slash-screen.js";
import type { SlashServices } from "./slash-services.js";

/** Services available to a slash command. */
export interface SlashContext extends SlashServices, SlashScreen {
    readonly commands: readonly SlashCommand[];
}

/** One argument completion. */
export interface Completion {
    readonly value: string;
    readonly description?: string;
}

/** A `/command` of the chat. */
export interface SlashCommand {
    /** Lower case with dashes, without the slash. */
    readonly name: string;
    /** One line for `/help`. */
    readonly description: string;
    /** `/model [alias]`. A bare name takes no arguments: text after it is sent as a message. */
    readonly usage: string;
    /** Completes the argument typed so far. */
    complete?(
        argument: string,
        context: SlashContext
    ): readonly Completion[] | Promise<readonly Completion[]>;
    /** May reject with an `ExpectedError`, which is shown; the conversation continues. */
    run(argumentsText: string, context: SlashContext): Promise<void>;
}
