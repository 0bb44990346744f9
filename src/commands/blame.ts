import { BaseCommand } from "../host/command-line/base-command.js";
import { typedArgument } from "../host/command-line/flags.js";
import { blameFile, blameText } from "../host/operations/blame-file.js";
import { lookingForLines } from "../host/operations/looking-for-lines.js";

export default class Blame extends BaseCommand {
    static override summary = "Show which turn wrote each line of a file, and who approved it.";
    static override description =
        "Exact: compares the contents stored before and after each change. Lines that North did not write are marked, " +
        "with their git commit, and the model that its note in `refs/notes/ai` names. `you`: you approved the edit; `automatic`: it needed no approval; `command`: a command wrote the line.";
    static override examples = [
        "north blame src/parser.ts",
        "north blame src/parser.ts:10-20",
        "north blame src/parser.ts:12 --json",
    ];
    static override args = {
        file: typedArgument({
            required: true,
            description: "File, with an optional line or range of lines: FILE:10-20.",
        }),
    };

    async run(): Promise<unknown> {
        const { args } = await this.parse(Blame);
        const blamed = await lookingForLines(() =>
            blameFile(this.directories.data, args.file, process.cwd())
        );
        for (const warning of blamed.warnings) this.logToStderr(warning);
        this.log(blameText(blamed));
        return blamed;
    }
}
