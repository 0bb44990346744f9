import type { Option, SlashScreen } from "./slash-screen.js";
import type { SlashServices } from "./slash-services.js";

/** Services available to a slash command. */
export interface SlashContext extends SlashServices, SlashScreen {
    readonly commands: readonly SlashCommand[];
}

/** A `/command` of the chat. */
export interface SlashCommand {
    /** Lower case with dashes, without the slash. */
    readonly name: string;
    /** One line for `/help`. */
    readonly description: string;
    /** `/model [alias]`. A bare name takes no arguments: text after it is sent as a message. */
    readonly usage: string;
    /** Prints something and changes nothing: it runs at once, also beside a turn. */
    readonly onlyShows?: boolean;
    /** Completes the argument typed so far. */
    complete?(
        argument: string,
        context: SlashContext
    ): readonly Option[] | Promise<readonly Option[]>;
    /** May reject with an `ExpectedError`, which is shown; the conversation continues. */
    run(argumentsText: string, context: SlashContext): Promise<void>;
}
