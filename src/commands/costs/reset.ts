import { BaseCommand } from "../../host/command-line/base-command.js";
import { resetCosts } from "../../host/costs/cost-report.js";

export default class CostsReset extends BaseCommand {
    static override summary = "Reset the cost totals (old records are kept).";
    static override examples = ["north costs reset"];

    async run(): Promise<unknown> {
        await this.parse(CostsReset);
        await resetCosts(this.directories.data);
        this.log(`Cost totals reset. The old records are kept in ${this.directories.data}.`);
        return { keptIn: this.directories.data };
    }
}
