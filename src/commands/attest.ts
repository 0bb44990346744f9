import { Flags } from "@oclif/core";
import { BaseCommand } from "../host/command-line/base-command.js";
import { typedArgument } from "../host/command-line/flags.js";
import {
    printedReceipt,
    RECEIPT_FORMATS,
    receiptOf,
    writeNote,
} from "../host/operations/attest.js";
import { lookingForLines } from "../host/operations/looking-for-lines.js";

export default class Attest extends BaseCommand {
    static override summary = "Show what models wrote in a commit, and what was seen and tested.";
    static override description =
        "Reads the log, by model and turn. A check counts if North ran it on exactly the commit's files. `--write` stores the result as a git note " +
        "in `refs/notes/ai`, in Git AI's format; `north attest verify` checks it.";
    static override examples = [
        "north attest",
        "north attest HEAD --write",
        "north attest HEAD --format agent-trace > trace.json",
    ];
    static override args = {
        commit: typedArgument({ description: "A commit. Default: HEAD." }),
    };
    static override flags = {
        format: Flags.option({
            options: RECEIPT_FORMATS,
            default: "text" as const,
            description: "Text, the git note, or an Agent Trace record.",
        })(),
        write: Flags.boolean({ description: "Store it as the commit's note." }),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(Attest);
        const folder = process.cwd();
        const place = { dataFolder: this.directories.data, folder, name: args.commit ?? "HEAD" };
        const receipt = await lookingForLines((onFile) => receiptOf(place, onFile));
        this.log(printedReceipt(receipt, flags.format, this.config.version));
        if (flags.write) {
            await writeNote(place, receipt);
            this.logToStderr("Stored in refs/notes/ai.");
        }
        return receipt;
    }
}
