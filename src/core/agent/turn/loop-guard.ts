import { NorthError } from "../../../base/north-error.js";
import type { ToolCallPart } from "../../../plugin/index.js";
import type { ToolResultEntry } from "../../../plugin/records.js";
import type { Turn } from "../turn.js";
import { askToContinue } from "./ask-to-continue.js";

/** The same call with the same result so often among so many calls is a loop. */
const [REPEATS, WINDOW] = [5, 10];

/** What differs in equal results: how long they took and where they are kept. */
const VARIABLE = /"durationMs":\d+|\boutput-\d+\b/g;

/** The error code of a turn that ended in a loop. */
export const LOOP = "loop";

/** Stops a model that repeats itself. */
export class LoopGuard {
    private recent: { readonly signature: string; readonly intent: string }[] = [];

    note({ name, input }: ToolCallPart, { text, content, intent }: ToolResultEntry): void {
        const result = (text ?? content).replace(VARIABLE, "");
        const signature = JSON.stringify([name, input, result]);
        this.recent = [...this.recent, { signature, intent }].slice(-WINDOW);
    }

    /** Returns unless there is a loop, or if the user wants to continue; else throws `loop`. */
    async check(turn: Turn): Promise<void> {
        const repeated = this.recent.find(
            ({ signature }) =>
                this.recent.filter((other) => other.signature === signature).length >= REPEATS
        );
        if (repeated === undefined) return;
        const sentence = `The model made the same call ${REPEATS} times with the same result: ${repeated.intent}.`;
        turn.log.event("info", "loop_stopped", { intent: repeated.intent });
        if (!(await askToContinue(turn, sentence, LOOP))) {
            throw new NorthError(LOOP, sentence, [
                "Say what to do differently, or choose another model with `/model`.",
            ]);
        }
        this.recent = [];
    }
}
