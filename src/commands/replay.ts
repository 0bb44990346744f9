import { BaseCommand } from "../host/command-line/base-command.js";
import { unlessStopped } from "../host/command-line/stop-on-signals.js";
import { conversationArgument, textFlag } from "../host/command-line/flags.js";
import { replay, replayText } from "../host/replay/replay.js";

export default class Replay extends BaseCommand {
    static override summary = "Repeat the calls of a conversation and compare the results.";
    static override description =
        "Repeats the recorded calls, without a model, on the project as it was at the start. " +
        "Nothing is written, and commands run contained. Exits with 0 if all results match, with 1 at the first difference.";
    static override examples = [
        "north replay 3fa2c1",
        "north replay 3fa2c1 --on ../other-checkout --json",
    ];
    static override args = { id: conversationArgument({ required: true }) };
    static override flags = {
        on: textFlag({
            description: "Use the project in this folder instead of the recorded one.",
            helpValue: "DIR",
        }),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(Replay);
        return unlessStopped(async (signal) => {
            const replayed = await replay({
                ...this.surroundings,
                ...flags,
                id: args.id,
                signal,
                progress: (text) => process.stderr.isTTY && this.logToStderr(text),
            });
            this.logStyled(await replayText(replayed));
            process.exitCode = replayed.difference ? 1 : 0;
            return replayed;
        });
    }
}
