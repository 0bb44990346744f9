import { counted } from "../../base/format.js";
import type { SlashCommand } from "../../plugin/index.js";
import { lastFlags, wrongUsage } from "./wording.js";

const STANDARD_ATTEMPTS = 3;
const MAX_ATTEMPTS = 100;

export const until: SlashCommand = {
    name: "until",
    description: "End turns only when a command exits with 0; its output goes back to the model.",
    usage: "/until [CMD [--max N] | off]",
    async run(argumentsText, context) {
        const { text: typed, flags } = lastFlags(argumentsText, ["max"]);
        if (/(^|\s)--max$/.test(typed) || !/^\d*$/.test(flags.max ?? "")) throw wrongUsage(until);
        const maxAttempts = Number(flags.max ?? STANDARD_ATTEMPTS);
        if (maxAttempts < 1 || maxAttempts > MAX_ATTEMPTS) {
            return context.screen.print(`--max takes a number from 1 to ${MAX_ATTEMPTS}.`);
        }
        if (typed === "off") context.session.until.set(undefined);
        else if (typed !== "") context.session.until.set({ command: typed, maxAttempts });
        const goal = context.session.until.current();
        context.screen.print(
            goal === undefined
                ? "Turns end when the model is done."
                : `A turn now ends only when \`${goal.command}\` exits with 0, or after ${counted(goal.maxAttempts, "more attempt")}. /until off turns this off.`
        );
    },
};
