import { firstWords } from "../base/format.js";
import { northCommand } from "../base/north-command.js";
import { Flags } from "@oclif/core";
import { withSpinner } from "../chat/terminal/spinner.js";
import { BaseCommand } from "../host/command-line/base-command.js";
import {
    movedPathFlag,
    newestConversationArgument,
    runTimeoutFlag,
    shellCommandFlag,
} from "../host/command-line/flags.js";
import { unlessStopped } from "../host/command-line/stop-on-signals.js";
import { offerShrunk, prepareShrink, shrunkText } from "../host/operations/shrink.js";
import { withUndoHost } from "../host/operations/undo-conversation.js";

export default class Shrink extends BaseCommand {
    static override summary = "Find the part of a draft or turn that a command does not need.";
    static override description =
        "Runs the command with fewer and fewer hunks, contained, and asks whether to remove the hunks it passes without. " +
        "Keeps documents, tests, comments and renames, which a command cannot judge.";
    static override examples = [
        'north shrink --run "npm test"',
        'north shrink 3fa2c1 --turn 4 --run "make check"',
    ];
    static override args = { id: newestConversationArgument() };
    static override flags = {
        run: shellCommandFlag({
            required: true,
            description: "Command to run; exit code 0 means good.",
        }),
        turn: Flags.integer({
            description: "Shrink this turn's edits instead of the draft; see `north turns`.",
            min: 1,
            helpValue: "N",
        }),
        timeout: runTimeoutFlag(),
        "max-time": Flags.integer({
            description: "Stop after this time and propose the best result so far.",
            default: 1800,
            min: 1,
            helpValue: "SECONDS",
        }),
        force: Flags.boolean({ char: "f", description: "Skip the confirmation." }),
        path: movedPathFlag(),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(Shrink);
        const { path, turn, force } = flags;
        const running = `Running \`${firstWords(flags.run)}\``;
        return unlessStopped(async (signal) => {
            const request = {
                ...{ ...this.surroundings, turn, signal, command: flags.run },
                timeoutMs: flags.timeout * 1_000,
                maxTimeMs: flags["max-time"] * 1_000,
                progress: (text: string) => this.logToStderr(text),
            };
            return withUndoHost(this.directories.data, { id: args.id, path }, async (host) => {
                const { planned, ...found } = await withSpinner(running, () =>
                    prepareShrink(host, request)
                );
                this.log(shrunkText(found));
                const applied = await offerShrunk({ planned, ...found }, this.asking(force));
                this.log(
                    applied ? `Done. \`${northCommand()} undo\` reverses it.` : "Nothing changed."
                );
                return { id: host.id, root: host.root, ...found, applied };
            });
        });
    }
}
