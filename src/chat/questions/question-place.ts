import type { LiveView } from "../live-view.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Clock } from "./deliberate-keys.js";

export interface QuestionPlace {
    readonly terminal: Pick<Terminal, "keyboard" | "screen" | "theme" | "takesLines">;
    readonly view: Pick<LiveView, "setQuestion" | "hasDraft">;
    /** The system's if absent. */
    readonly clock?: Clock;
}
