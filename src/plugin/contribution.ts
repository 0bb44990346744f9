import type { Check } from "./check.js";
import type { ContextSource } from "./context.js";
import type { Observer } from "./observer.js";
import type { Provider } from "./provider.js";
import type { SlashCommand } from "./slash-command.js";
import type { Tool } from "./tool.js";

/**
 * A plugin's contribution: plain data returned by its `north:register` hook. Parts that are invalid
 * or whose names are taken are dropped and reported in one line; the rest is used.
 */
export interface Contribution {
    /** Contract version. */
    readonly apiVersion: 1;
    readonly tools?: readonly Tool[];
    readonly providers?: readonly Provider[];
    readonly slashCommands?: readonly SlashCommand[];
    readonly contextSources?: readonly ContextSource[];
    readonly checks?: readonly Check[];
    readonly observers?: readonly Observer[];
    /** Problems that the user should know about, one sentence each. */
    readonly problems?: readonly string[];
}
