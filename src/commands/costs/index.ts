import { Flags } from "@oclif/core";
import { BaseCommand } from "../../host/command-line/base-command.js";
import { costReport, costTable } from "../../host/costs/cost-report.js";
import { sinceFlag, textFlag } from "../../host/command-line/flags.js";
import { findModel } from "../../host/models/model-list.js";

export default class Costs extends BaseCommand {
    static override summary = "Show what models have cost.";
    static override examples = [
        "north costs",
        "north costs --by day --since 7d",
        "north costs --by reason",
        "north costs --as haiku",
        "north costs --json",
    ];
    static override flags = {
        by: Flags.option({
            options: ["model", "provider", "project", "day", "month", "reason"] as const,
            default: "model" as const,
            description:
                "Group the totals; `reason` shows why caches were lost and what that cost.",
        })(),
        since: sinceFlag(),
        as: textFlag({
            description: "Show what another model would have charged for the same tokens.",
            helpValue: "MODEL",
            relationships: [
                {
                    type: "none",
                    // What a lost cache costs depends on who lost it.
                    flags: [{ name: "by", when: async ({ by }) => by === "reason" }],
                },
            ],
        }),
    };

    async run(): Promise<unknown> {
        const { flags } = await this.parse(Costs);
        const { by, since } = flags;
        const as = flags.as === undefined ? undefined : await findModel(this.config, flags.as);
        const report = await costReport(this.directories.data, { by, since, as });
        this.log(costTable(report, process.stdout.isTTY ? process.stdout.columns : 0));
        return report;
    }
}
