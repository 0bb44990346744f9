import { Flags } from "@oclif/core";
import { withSpinner } from "../chat/terminal/spinner.js";
import { BaseCommand } from "../host/command-line/base-command.js";
import { chatFlags } from "../host/command-line/chat-flags.js";
import { pathFlag, typedArgument } from "../host/command-line/flags.js";
import { reviewOutsideChat } from "../host/outside-chat.js";
import { unseenText } from "../host/operations/unseen-lines.js";
import { reviewUnseen } from "../host/operations/walk-unseen.js";
import { printedReview, REVIEW_FORMATS } from "../host/review/review-formats.js";

export default class Review extends BaseCommand {
    static override summary = "Have a model review changes.";
    static override description =
        "Reviews the uncommitted changes, those since a branch, a commit, a range, or a patch on " +
        "standard input. The model only reads. Exits with 0 without findings or with notes only, 3 with " +
        "warnings, 4 with errors, and 1 if the review is incomplete.";
    static override examples = [
        { command: "north review", description: "Review the uncommitted changes." },
        { command: "north review main", description: "Review the changes since main." },
        { command: "$ git diff | north review -", description: "Review a patch." },
        {
            command: "north review main --unseen",
            description: "See the lines since main that no person has seen.",
        },
        {
            command: "north review origin/main --format sarif > review.sarif",
            description: "Write a report for a code scanner.",
        },
    ];
    static override args = {
        target: typedArgument({
            description: "A branch, a commit, a range, or - for a patch on standard input.",
        }),
    };
    static override flags = {
        format: Flags.option({
            options: REVIEW_FORMATS,
            default: "text" as const,
            description: "Text, one JSON object, SARIF 2.1.0, or annotations for GitHub Actions.",
        })(),
        model: chatFlags.model,
        "max-cost": chatFlags["max-cost"],
        path: pathFlag(),
        unseen: Flags.boolean({
            description:
                "Instead, walk through the lines that models wrote and nobody has fully seen.",
        }),
        check: Flags.boolean({
            description: "List the unseen lines, and exit with 1 if there are any.",
            dependsOn: ["unseen"],
        }),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(Review);
        const tell = (text: string) => this.logToStderr(text);
        if (flags.unseen) {
            const isAsked = !flags.check && !this.jsonEnabled();
            const place = { dataFolder: this.directories.data, folder: flags.path };
            const report = await reviewUnseen(place, args.target, isAsked);
            report.warnings.forEach(tell);
            this.log(unseenText(report));
            if (flags.check && report.unseenLines > 0) process.exitCode = 1;
            return report;
        }
        const { review, exitCode } = await withSpinner("Reviewing", (progress) =>
            reviewOutsideChat({
                ...this.surroundings,
                ...{ path: flags.path, model: flags.model, maxCostUsd: flags["max-cost"] },
                ...{ target: args.target, progress, tell },
            })
        );
        const printed = printedReview(review, flags.format, this.config.version);
        if (printed !== "") this.logStyled(printed);
        if (flags.format !== "text" && review.problem !== undefined) tell(review.problem);
        process.exitCode = exitCode;
        return review;
    }
}
