import type { SlashCommand } from "../../plugin/index.js";
import { thousands } from "./wording.js";

const USAGE = "/summarize [--keep-last N]";

/** `/summarize`: room for more, before North makes it by itself. */
export const summarize: SlashCommand = {
    name: "summarize",
    description: "Replace all but the last messages (10, or N) by a summary the model writes.",
    usage: USAGE,
    async run(argumentsText, context) {
        const typed = argumentsText.trim();
        const [, number] = /^--keep-last[ =]([1-9]\d{0,4})$/.exec(typed) ?? [];
        if (typed !== "" && number === undefined) return context.print(`Usage: ${USAGE}`);
        await context.during("Summarizing the conversation", async (signal) => {
            const { messages, before, after } = await context.conversation.summarize({
                ...(number === undefined ? {} : { keepLast: Number(number) }),
                signal,
                tell: context.print,
            });
            const what = `${messages} ${messages === 1 ? "message" : "messages"} summarized`;
            context.print(`${what}: ${thousands(before)} tokens before, ${thousands(after)} now.`);
        });
    },
};
