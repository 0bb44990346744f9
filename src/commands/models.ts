import { Flags } from "@oclif/core";
import { withSpinner } from "../chat/terminal/spinner.js";
import { BaseCommand } from "../host/command-line/base-command.js";
import { listModels, modelTable } from "../host/models/model-list.js";

export default class Models extends BaseCommand {
    static override summary = "List models with their limits and prices.";
    static override examples = [
        "<%= config.bin %> models",
        "<%= config.bin %> models --all",
        "<%= config.bin %> models --json",
    ];
    static override flags = {
        all: Flags.boolean({
            description: "Include older and retired models, IDs and output limits.",
        }),
    };

    async run(): Promise<unknown> {
        const { flags } = await this.parse(Models);
        const list = await withSpinner("Asking providers for their models", () =>
            listModels(this.config, this.directories.config)
        );
        this.log(modelTable(list, flags));
        return list;
    }
}
