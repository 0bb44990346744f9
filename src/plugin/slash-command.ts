import type { ContextPart } from "./context.js";
import type { Option, SlashScreen } from "./slash-screen.js";
import type { SlashServices } from "./slash-services.js";

/** A message that a slash command sends on the user's behalf. */
export interface OutgoingMessage {
    /** Recorded, shown and sent as the user's words. */
    readonly text: string;
    /**
     * What the user typed, whether or not `text` contains it. Its `@path` mentions attach files,
     * and context sources receive it.
     */
    readonly typed?: string;
    /** Sent along as data with its origin, not as the user's words. */
    readonly context?: readonly ContextPart[];
}

/** The outcome of a turn started by a slash command. */
export interface SentTurn {
    /** `end` if the model answered, else what stopped it: `cancelled`, `max-turns`, `error`. */
    readonly stopReason: string;
    /** The model's last answer. */
    readonly text: string;
    /** US dollars; `null` if a price is unknown. */
    readonly costUsd: number | null;
}

/** Everything a slash command can use. */
export interface SlashContext extends SlashServices {
    readonly commands: readonly SlashCommand[];
    readonly screen: SlashScreen;
    /**
     * Sends a message and shows the turn as usual. Resolves when the turn ends, however it ends.
     * Rejects with `turn-running` inside `screen.during`.
     */
    send(message: OutgoingMessage): Promise<SentTurn>;
    /**
     * Asks about the draft as the end of a turn does, and does what the user decides. Resolves and
     * rejects like `send`.
     */
    reviewDraft(): Promise<SentTurn>;
}

/** A `/command` of the chat. */
export interface SlashCommand {
    /** Lower case with dashes, without the slash. */
    readonly name: string;
    /** One line for `/help`. */
    readonly description: string;
    /** `/model [alias]`. A bare name takes no arguments: text after it is sent as a message. */
    readonly usage: string;
    /** Its argument is one word; text after that is sent as a message. */
    readonly takesOneWord?: true;
    /** The file that defines it, for `/help`; absent for plugins' commands. */
    readonly origin?: string;
    /** Only prints and changes nothing, so it runs at once, even during a turn. */
    readonly onlyShows?: boolean;
    /** About the terminal or the choice of conversation, so editors do not offer it. */
    readonly onlyInTerminal?: true;
    /** Completes the argument typed so far. */
    complete?(
        argument: string,
        context: SlashContext
    ): readonly Option[] | Promise<readonly Option[]>;
    /** May reject with an `ExpectedError`, which is shown; the conversation continues. */
    run(argumentsText: string, context: SlashContext): Promise<void>;
}
