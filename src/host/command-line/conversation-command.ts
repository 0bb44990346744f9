import type { NorthError } from "../../base/north-error.js";
import { MODE_IDS } from "../../plugin/modes.js";
import { BaseCommand } from "./base-command.js";
import { exitCodeOf } from "./usage-error.js";

/** Scripts that read JSON get their object even if the command line is wrong or no run can begin. */
export abstract class ConversationCommand extends BaseCommand {
    static override enableJsonFlag = false;

    protected override async fail(failure: NorthError): Promise<void> {
        const format = this.typedValue("--output-format");
        if (format !== "json" && format !== "stream-json") return super.fail(failure);
        const mode = this.argv.includes("--plan") ? "plan" : this.typedValue("--mode");
        const { printFailure } = await import("../../chat/print/run-print.js");
        const { stdout, stderr } = process;
        const known = MODE_IDS.find((id) => id === mode) ?? "agent";
        printFailure(failure, { format, mode: known, stdout, stderr });
        process.exitCode = exitCodeOf(failure);
    }

    /** As typed: there are no parsed flags if one of them is wrong. */
    private typedValue(flag: string): string | undefined {
        const at = this.argv.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
        const word = this.argv[at];
        return word === flag ? this.argv[at + 1] : word?.slice(flag.length + 1);
    }
}
