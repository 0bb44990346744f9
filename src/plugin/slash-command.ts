import type { ContextPart } from "./context.js";
import type { Option, SlashScreen } from "./slash-screen.js";
import type { SlashServices } from "./slash-services.js";

/** A message that a slash command sends in the user's name. */
export interface OutgoingMessage {
    /** Recorded, shown and sent as the user's words. */
    readonly text: string;
    /** What the user typed, in the text or not: its `@path` mentions attach files, and context sources see it. */
    readonly typed?: string;
    /** Sent along as data with its origin, not as the user's words. */
    readonly context?: readonly ContextPart[];
}

/** How a turn that a slash command started has ended. */
export interface SentTurn {
    /** `end` if the model has answered, else what stopped it: `cancelled`, `max-turns`, `error`. */
    readonly stopReason: string;
    /** The last answer. */
    readonly text: string;
    /** US dollars; `null` if a price is unknown. */
    readonly costUsd: number | null;
}

export interface SlashContext extends SlashServices, SlashScreen {
    readonly commands: readonly SlashCommand[];
    /**
     * Sends a message and shows the turn as usual; resolves when it has ended, whatever the end. Rejects
     * with `turn-running` inside of `during`.
     */
    send(message: OutgoingMessage): Promise<SentTurn>;
}

/** A `/command` of the chat. */
export interface SlashCommand {
    /** Lower case with dashes, without the slash. */
    readonly name: string;
    /** One line for `/help`. */
    readonly description: string;
    /** `/model [alias]`. A bare name takes no arguments: text after it is sent as a message. */
    readonly usage: string;
    /** The file it is from, for `/help`; absent for commands of plugins. */
    readonly origin?: string;
    /** Prints something and changes nothing: it runs at once, also beside a turn. */
    readonly onlyShows?: boolean;
    /** It is about the terminal, or picks the conversation: an editor, which does both itself, does not offer it. */
    readonly onlyInTerminal?: true;
    /** Completes the argument typed so far. */
    complete?(
        argument: string,
        context: SlashContext
    ): readonly Option[] | Promise<readonly Option[]>;
    /** May reject with an `ExpectedError`, which is shown; the conversation continues. */
    run(argumentsText: string, context: SlashContext): Promise<void>;
}
