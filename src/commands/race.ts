import { canAsk } from "../chat/questions/ask-in-terminal.js";
import { withSpinner } from "../chat/terminal/spinner.js";
import { BaseCommand } from "../host/command-line/base-command.js";
import { typedArgument } from "../host/command-line/flags.js";
import { unlessStopped } from "../host/command-line/stop-on-signals.js";
import { confirmIn } from "../host/operations/undo-conversation.js";
import { findModel } from "../host/models/model-list.js";
import { race } from "../host/tasks/race.js";
import { raceFlags } from "../host/tasks/race-flags.js";
import { raceSentence, raceTable, reviewWinner } from "../host/tasks/race-report.js";

export default class Race extends BaseCommand {
    static override summary = "Run a task several times, and review the cheapest run that passes.";
    static override description =
        "Each run works in a draft of its own; nothing is written to the project until you accept the winner's draft. " +
        "A run that costs more than one that passed is stopped. After your answer the other runs are deleted. " +
        "Exits with 0 if a run passes, with 3 if the cost limit is reached first, else with 1.";
    static override examples = [
        'north race "Fix the parser" --models opus,sonnet,haiku --until "npm test"',
        'north race "Fix the parser" --times 3 --until "npm test" --max-cost 3 --json',
    ];
    static override args = { prompt: typedArgument({ required: true, description: "The task." }) };
    static override flags = raceFlags;

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(Race);
        const { models = [undefined], times, "max-cost": maxCostUsd, path, force, ...rest } = flags;
        const { json: _, ...passed } = rest;
        for (const model of models) if (model) await findModel(this.config, model);
        const dataFolder = this.directories.data;
        let table = "";
        return unlessStopped(async (signal) => {
            try {
                const end = await withSpinner("Starting", (show) =>
                    race({
                        ...{ models, times, maxCostUsd, signal, dataFolder, folder: path },
                        ...{ prompt: args.prompt, flags: passed },
                        program: this.config.root,
                        environment: process.env,
                        onChange: (runs) => show((table = raceTable(runs))),
                        onEnd: (run) => {
                            if (!process.stderr.isTTY) this.logToStderr(raceTable([run]));
                        },
                    })
                );
                this.log(`${raceTable(end.runs)}\n${raceSentence(end)}`);
                const failed = end.winner ? [] : end.runs;
                const steps = new Set(failed.flatMap(({ nextSteps = [] }) => nextSteps));
                for (const step of steps) this.logToStderr(`  ${step}`);
                process.exitCode = end.winner ? 0 : end.isCapReached ? 3 : 1;
                const applied = await reviewWinner(end, {
                    ...{ dataFolder, folder: path },
                    confirm: force || canAsk() ? confirmIn(this.asking(force)) : undefined,
                    log: (text) => this.log(text),
                });
                return { ...end, applied };
            } catch (error) {
                if (signal.aborted) {
                    this.logToStderr(`${table}\nStopped. \`north draft list\` shows what is left.`);
                }
                throw error;
            }
        });
    }
}
