import { BaseCommand } from "../../host/command-line/base-command.js";
import { typedArgument } from "../../host/command-line/flags.js";
import { verdictText, verifyNote } from "../../host/operations/attest.js";
import { lookingForLines } from "../../host/operations/looking-for-lines.js";

export default class AttestVerify extends BaseCommand {
    static override summary = "Check a commit's receipt against the log.";
    static override description =
        "Computes the receipt again and compares it byte for byte. Exits with 1 and shows what differs if it is not the same.";
    static override examples = ["north attest verify HEAD"];
    static override args = {
        commit: typedArgument({ description: "A commit. Default: HEAD." }),
    };

    async run(): Promise<unknown> {
        const { args } = await this.parse(AttestVerify);
        const folder = process.cwd();
        const place = { dataFolder: this.directories.data, folder, name: args.commit ?? "HEAD" };
        const verdict = await lookingForLines((onFile) => verifyNote(place, onFile));
        this.log(verdictText(verdict));
        if (!verdict.isTrue) process.exitCode = 1;
        return verdict;
    }
}
