import { Flags } from "@oclif/core";
import { withSpinner } from "../chat/terminal/spinner.js";
import { BaseCommand } from "../host/command-line/base-command.js";
import { catalogueSentences, refreshCatalogue } from "../host/models/refresh-catalogue.js";
import { listModels, modelTable } from "../host/models/model-list.js";

export default class Models extends BaseCommand {
    static override summary = "List models with their limits and prices.";
    static override examples = [
        "north models",
        "north models --all",
        "north models --json",
        "north models --refresh",
    ];
    static override flags = {
        all: Flags.boolean({
            description: "Include older and retired models, IDs and output limits.",
        }),
        refresh: Flags.boolean({
            description:
                "Read models and prices that North does not know from models.dev, or from `modelCatalogue`.",
        }),
    };

    async run(): Promise<unknown> {
        const { flags } = await this.parse(Models);
        const refresh = () => refreshCatalogue(this.config, this.directories);
        const catalogue = flags.refresh
            ? await withSpinner("Reading the catalogue of models", refresh)
            : undefined;
        const list = await withSpinner("Asking providers for their models", () =>
            listModels(this.config, this.directories.config)
        );
        this.log(modelTable(list, flags));
        if (catalogue) this.log(`\n${catalogueSentences(catalogue)}`);
        return { ...list, ...(catalogue && { catalogue }) };
    }
}
