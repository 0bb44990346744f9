import type { SlashCommand } from "../../plugin/index.js";
import { lastFlags, unquote, wrongUsage } from "./wording.js";

const FLAGS = ["models", "times", "until", "max-cost"] as const;
const MAX_TIMES = 16;

export const race: SlashCommand = {
    name: "race",
    description: "Run a task several times, and review the cheapest run that passes a command.",
    usage: "/race TASK [--models A,B] [--times N] [--until CMD] [--max-cost USD]",
    async run(argumentsText, { screen, project, session }) {
        const { text, flags } = lastFlags(argumentsText, FLAGS);
        if (text === "") throw wrongUsage(race);
        const misplaced = FLAGS.find((name) => new RegExp(`(^|\\s)--${name}\\b`).test(text));
        if (misplaced) throw wrongUsage(race, `--${misplaced} needs one value; quote its spaces.`);
        const until = flags.until ?? session.until.current()?.command;
        if (until === undefined) {
            const problem = "Name the command that decides, with --until CMD or /until.";
            throw wrongUsage(race, problem);
        }
        const times = Number(flags.times ?? 1);
        if (!Number.isInteger(times) || times < 1 || times > MAX_TIMES) {
            throw wrongUsage(race, `--times takes a number from 1 to ${MAX_TIMES}.`);
        }
        const maxCostUsd = flags["max-cost"] === undefined ? undefined : Number(flags["max-cost"]);
        if (maxCostUsd !== undefined && !(maxCostUsd > 0)) {
            throw wrongUsage(race, "--max-cost takes US dollars.");
        }
        const models = flags.models?.split(",").map((name) => name.trim());
        const task = { prompt: unquote(text), models, times, until, maxCostUsd };
        const finished = await screen.during("Racing", (signal, progress) =>
            project.race({ ...task, signal, progress })
        );
        if (!finished) return;
        screen.print(finished.text);
        await finished.review(screen);
    },
};
