import path from "node:path";
import { Flags } from "@oclif/core";
import { showControls } from "../../base/safe-text.js";
import { BaseCommand } from "../../host/command-line/base-command.js";
import {
    exportedConversation,
    exportText,
    writeExport,
} from "../../host/conversations/export-conversation.js";
import { storedConversation } from "../../host/conversations/stored-conversation.js";
import { typedArgument } from "../../host/command-line/typed-argument.js";

export default class ConversationsExport extends BaseCommand {
    static override summary = "Write a conversation as Markdown or JSON.";
    static override description =
        "Markdown holds what was said and what was done; JSON also the results of every call.";
    static override examples = [
        "<%= config.bin %> conversations export 3fa2c1 > conversation.md",
        "<%= config.bin %> conversations export 3fa2c1 --format json -o conversation.json",
    ];
    static override args = {
        id: typedArgument({
            required: true,
            description: "Six hex digits; `north conversations` lists them.",
        }),
    };
    static override flags = {
        format: Flags.option({
            options: ["md", "json"] as const,
            default: "md" as const,
            description: "Markdown to read, or JSON for programs.",
        })(),
        output: Flags.string({
            char: "o",
            description: "Write to this file instead of stdout.",
            helpValue: "FILE",
        }),
        force: Flags.boolean({ char: "f", description: "Replace the file if there is one." }),
    };

    async run(): Promise<void> {
        const { args, flags } = await this.parse(ConversationsExport);
        const { conversation, warnings } = await storedConversation(this.directories.data, args.id);
        for (const warning of warnings) this.logToStderr(warning);
        const text = exportText(exportedConversation(conversation), flags.format);
        if (flags.output === undefined) {
            // A file or a pipe gets the conversation as it was, a terminal what it can be shown.
            process.stdout.write(process.stdout.isTTY ? showControls(text) : text);
            return;
        }
        const file = path.resolve(flags.output);
        await writeExport(file, text, { replace: flags.force });
        this.logToStderr(`Written: ${file}`);
    }
}
