import { firstWords } from "../base/format.js";
import { changesText } from "../chat/printed-text.js";
import { withSpinner } from "../chat/terminal/spinner.js";
import { BaseCommand } from "../host/command-line/base-command.js";
import { unlessStopped } from "../host/command-line/stop-on-signals.js";
import {
    movedPathFlag,
    newestConversationArgument,
    runTimeoutFlag,
    shellCommandFlag,
} from "../host/command-line/flags.js";
import { newestConversation } from "../host/conversations/conversation-list.js";
import { bisect, bisectSentence } from "../host/operations/bisect.js";

export default class Bisect extends BaseCommand {
    static override summary = "Find the first turn after which a command fails.";
    static override description =
        "Rebuilds the files as they were after each turn and runs the command there, contained: without network and " +
        "without changing the project. Exits with 0 if it finds the turn or edit, with 1 if not.";
    static override examples = [
        'north bisect --run "npm test"',
        'north bisect 3fa2c1 --run "node --test test/parser.test.js" --json',
    ];
    static override args = { id: newestConversationArgument() };
    static override flags = {
        run: shellCommandFlag({
            required: true,
            description: "Command to run; exit code 0 means good.",
        }),
        timeout: runTimeoutFlag(),
        path: movedPathFlag(),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(Bisect);
        const where = flags.path ?? process.cwd();
        const id = args.id ?? (await newestConversation(this.directories.data, where));
        return unlessStopped(async (signal) => {
            const found = await withSpinner(`Running \`${firstWords(flags.run)}\``, () =>
                bisect({
                    ...this.surroundings,
                    ...flags,
                    id,
                    command: flags.run,
                    timeoutMs: flags.timeout * 1_000,
                    signal,
                    progress: (text) => this.logToStderr(text),
                })
            );
            const { changeSet, ...facts } = found;
            this.log(bisectSentence(found));
            if (changeSet.changes.length > 0) {
                this.logStyled(await changesText(changeSet));
            }
            process.exitCode = found.result === "turn" || found.result === "others" ? 0 : 1;
            return { ...facts, files: changeSet.changes.map((change) => change.path) };
        });
    }
}
