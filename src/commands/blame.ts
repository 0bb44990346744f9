import { BaseCommand } from "../host/command-line/base-command.js";
import { typedArgument } from "../host/command-line/typed-argument.js";
import { blameFile } from "../host/history/blame-file.js";
import { blameText } from "../host/history/blame-text.js";

export default class Blame extends BaseCommand {
    static override summary =
        "Show for each line of a file which turn wrote it, and who approved that.";
    static override description =
        "Exact, by the contents that North stored before and after each change. Lines that are not North's are said to be so, " +
        "with the commit that git knows. `you` approved an edit, or it was `automatic`; `contained` lines were written by a command.";
    static override enableJsonFlag = true;
    static override examples = [
        "<%= config.bin %> blame src/parser.ts",
        "<%= config.bin %> blame src/parser.ts:10-20",
        "<%= config.bin %> blame src/parser.ts:12 --json",
    ];
    static override args = {
        target: typedArgument({
            name: "FILE[:LINE[-LINE]]",
            required: true,
            description: "A file, one of its lines, or some of them.",
        }),
    };

    async run(): Promise<unknown> {
        const { args } = await this.parse(Blame);
        const blamed = await blameFile(this.directories.data, args.target, process.cwd());
        for (const warning of blamed.warnings) this.logToStderr(warning);
        this.log(blameText(blamed));
        return blamed;
    }
}
