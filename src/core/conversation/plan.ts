import type { ConversationPlan, Entry } from "../../plugin/index.js";
import { replyTexts } from "./reply-messages.js";

/** Comes before the accepted plan in the user's message, and marks it in the log. */
const CARRY_OUT =
    "Carry out this plan, exactly as it is here. First make its steps your todo list.\n\n";
/** Without steps an answer is a question or an explanation. */
const STEP = /^ {0,3}(?:\d{1,3}[.)]|[-*] \[[ xX]\])[ \t]+\S/m;

/** The newest plan of a conversation: proposed in plan mode, or accepted by the user. */
export function planIn(entries: readonly Entry[]): ConversationPlan | undefined {
    let plan: Omit<ConversationPlan, "carryOut"> | undefined;
    let isPlanning = false;
    for (const entry of entries) {
        if (entry.kind === "user") {
            isPlanning = entry.mode === "plan";
            if (plan?.state === "answer") plan = { ...plan, state: "earlier" };
            if (entry.text.startsWith(CARRY_OUT)) {
                plan = { text: entry.text.slice(CARRY_OUT.length), state: "accepted" };
            }
        } else if (entry.kind === "assistant" && isPlanning && entry.status === "complete") {
            const text = replyTexts(entry).join("").trim();
            if (STEP.test(text)) plan = { text, state: "answer" };
        } else if (entry.kind === "tool_result" && plan?.state === "accepted") {
            // The reminder is the list that the display shows.
            const { reminder, display } = entry;
            if (reminder !== undefined && display !== undefined) plan = { ...plan, todos: display };
        }
    }
    return plan && { ...plan, carryOut: (text) => ({ text: CARRY_OUT + text, typed: "" }) };
}
