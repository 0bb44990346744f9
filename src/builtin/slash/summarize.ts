import type { SlashCommand } from "../../plugin/index.js";
import { counted, formatInteger } from "../../base/format.js";
import { wrongUsage } from "./wording.js";

export const summarize: SlashCommand = {
    name: "summarize",
    description: "Replace all but the last 10 messages (or N) with a summary by the model.",
    usage: "/summarize [--keep-last N]",
    async run(argumentsText, context) {
        const typed = argumentsText.trim();
        const [, number] = /^--keep-last[ =]([1-9]\d{0,4})$/.exec(typed) ?? [];
        if (typed !== "" && number === undefined) {
            throw wrongUsage(summarize);
        }
        await context.screen.during("Summarizing the conversation", async (signal) => {
            const { messages, before, after } = await context.conversation.summarize({
                ...(number === undefined ? {} : { keepLast: Number(number) }),
                signal,
                tell: context.screen.print,
            });
            context.screen.print(
                `${counted(messages, "message")} summarized: ${formatInteger(before)} tokens before, ${formatInteger(after)} now.`
            );
        });
    },
};
