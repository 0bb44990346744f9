import type { Provider } from "./provider.js";
import type { JournalRecord } from "./records.js";
import type { SlashCommand } from "./slash-command.js";
import type { Tool } from "./tool.js";

/** Told of each record after it was stored. What it throws is contained and logged. */
export interface Observer {
    readonly name: string;
    observe(record: JournalRecord): void;
}

/**
 * What a plugin brings: plain data, returned from its `north:register` hook. A part that is not
 * valid, or whose name is taken, is left out and reported in one line; the rest counts.
 */
export interface Contribution {
    /** The version of this contract. */
    readonly apiVersion: 1;
    readonly tools?: readonly Tool[];
    readonly providers?: readonly Provider[];
    readonly slashCommands?: readonly SlashCommand[];
    readonly observers?: readonly Observer[];
    /** What the plugin could not do and the user should know, one sentence each. */
    readonly problems?: readonly string[];
}
