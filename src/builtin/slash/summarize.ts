import type { SlashCommand } from "../../plugin/index.js";
import { counted, thousands } from "../../base/format.js";

const USAGE = "/summarize [--keep-last N]";

/** `/summarize`: room for more, before North makes it by itself. */
export const summarize: SlashCommand = {
    name: "summarize",
    description: "Replace all but the last 10 messages (or N) with a summary by the model.",
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
            context.print(
                `${counted(messages, "message")} summarized: ${thousands(before)} tokens before, ${thousands(after)} now.`
            );
        });
    },
};
