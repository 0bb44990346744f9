import { Flags } from "@oclif/core";
import { BaseCommand } from "../host/command-line/base-command.js";
import { stopOnSignals } from "../host/command-line/stop-on-signals.js";
import { typedArgument } from "../host/command-line/flags.js";
import { replay, replayText } from "../host/history/replay.js";

export default class Replay extends BaseCommand {
    static override summary = "Repeat the calls of a conversation and compare the results.";
    static override description =
        "Repeats the recorded calls, without a model, in a copy of the project as it was at the start. " +
        "Commands run contained. Exits with 0 if all results are equal, with 1 at the first difference.";
    static override enableJsonFlag = true;
    static override examples = [
        "<%= config.bin %> replay 3fa2c1",
        "<%= config.bin %> replay 3fa2c1 --on ../other-checkout --json",
    ];
    static override args = {
        id: typedArgument({
            required: true,
            description: "Conversation ID, see `north conversations`.",
        }),
    };
    static override flags = {
        on: Flags.string({
            description: "Copy the project in this folder instead of the recorded one.",
            helpValue: "DIR",
        }),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(Replay);
        const stopper = stopOnSignals();
        try {
            const replayed = await replay({
                id: args.id,
                ...(flags.on === undefined ? {} : { on: flags.on }),
                config: this.config,
                directories: this.directories,
                environment: process.env,
                signal: stopper.signal,
                progress: (text) => process.stderr.isTTY && this.logToStderr(text),
            });
            this.logStyled(await replayText(replayed, process.stdout, process.env));
            process.exitCode = replayed.difference ? 1 : 0;
            return replayed;
        } catch (error) {
            if (!stopper.signal.aborted) throw error;
            process.exitCode = stopper.exitCode() ?? 1;
            return undefined;
        } finally {
            await stopper.dispose();
        }
    }
}
