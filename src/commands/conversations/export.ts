import path from "node:path";
import { Flags } from "@oclif/core";
import { withSpinner } from "../../chat/terminal/spinner.js";
import { exactUnlessTerminal } from "../../base/safe-text.js";
import { BaseCommand } from "../../host/command-line/base-command.js";
import {
    EXPORT_FORMATS,
    storedExport,
    writeExport,
} from "../../host/conversations/export-conversation.js";
import { conversationArgument, textFlag } from "../../host/command-line/flags.js";

export default class ConversationsExport extends BaseCommand {
    static override summary =
        "Export a conversation as Markdown, JSON, an HTML page or a trajectory.";
    static override enableJsonFlag = false;
    static override description =
        "Markdown contains messages and actions; JSON adds every call's result. " +
        "HTML is a single page with results and diffs, and no scripts or network access. " +
        "ATIF is the trajectory format of Harbor and Terminal-Bench.";
    static override examples = [
        "north conversations export 3fa2c1 > conversation.md",
        "north conversations export 3fa2c1 --format json -o conversation.json",
        "north conversations export 3fa2c1 --format html -o conversation.html",
        "north conversations export 3fa2c1 --format atif -o trajectory.json",
    ];
    static override args = { id: conversationArgument({ required: true }) };
    static override flags = {
        format: Flags.option({
            options: EXPORT_FORMATS,
            default: "md",
            description: "Output format: Markdown, JSON, one HTML page, or an ATIF trajectory.",
        })(),
        output: textFlag({
            char: "o",
            description: "Write to this file; - is stdout.",
            helpValue: "FILE",
        }),
        force: Flags.boolean({ char: "f", description: "Overwrite an existing file." }),
    };

    async run(): Promise<void> {
        const { args, flags } = await this.parse(ConversationsExport);
        const { text, warnings } = await withSpinner("Reading the conversation", () =>
            storedExport(this.directories, args.id, flags.format, this.config.version)
        );
        for (const warning of warnings) this.logToStderr(warning);
        if (flags.output === undefined || flags.output === "-") {
            process.stdout.write(exactUnlessTerminal(text, process.stdout));
            return;
        }
        const file = path.resolve(flags.output);
        await writeExport(file, text, { replace: flags.force });
        this.logToStderr(`Wrote ${file}`);
    }
}
