import type { SlashScreen } from "./slash-screen.js";
import type { SlashServices } from "./slash-services.js";

/** What a slash command may use. */
export interface SlashContext extends SlashServices, SlashScreen {
    readonly commands: readonly SlashCommand[];
}

/** One completion of an argument. */
export interface Completion {
    readonly value: string;
    readonly description?: string;
}

/** A `/command` of the chat. */
export interface SlashCommand {
    /** Without the slash; lower case and dashes. */
    readonly name: string;
    /** One line for `/help`. */
    readonly description: string;
    /**
     * `/model [alias]`. Where it is the bare name, the command takes nothing, and what was typed after
     * it is sent as a message.
     */
    readonly usage: string;
    /** Completions of the argument typed so far. */
    complete?(
        argument: string,
        context: SlashContext
    ): readonly Completion[] | Promise<readonly Completion[]>;
    /** May reject with an `ExpectedError`, which is shown; the conversation goes on. */
    run(argumentsText: string, context: SlashContext): Promise<void>;
}
