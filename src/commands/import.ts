import { homedir } from "node:os";
import { Args, Flags } from "@oclif/core";
import { BaseCommand } from "../host/command-line/base-command.js";
import { pathFlag, textFlag } from "../host/command-line/flags.js";
import {
    findAssistants,
    KINDS,
    openImport,
    planText,
    ASSISTANT_IDS,
    assistantsText,
} from "../host/import/import-settings.js";
import { newUnreadServers } from "../host/models/missing-plugins.js";
import { applyConfirmed } from "../host/operations/undo-conversation.js";

export default class Import extends BaseCommand {
    static override summary = "Import the settings of another assistant.";
    static override description =
        "Shows what North imports, and what it skips and why, then asks once before it changes its own " +
        "files. Imports no credentials. Without a name, lists the assistants that have settings in " +
        "this project or your home folder.";
    static override examples = [
        "north import",
        "north import claude --dry-run",
        "north import codex --only server --only hook",
    ];
    static override args = {
        assistant: Args.string({
            ignoreStdin: true,
            options: ASSISTANT_IDS,
            description: "The assistant whose settings to read.",
        }),
    };
    static override flags = {
        "dry-run": Flags.boolean({ description: "Only show what would be imported." }),
        only: textFlag({
            multiple: true,
            options: KINDS,
            helpValue: "KIND",
            description: "Import only this kind (repeatable).",
        }),
        force: Flags.boolean({ char: "f", description: "Skip the confirmation." }),
        path: pathFlag(),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(Import);
        const { directories, config } = this;
        const request = { directories, home: homedir(), folder: flags.path };
        if (args.assistant === undefined) {
            const found = await findAssistants(request);
            this.log(assistantsText(found));
            return { found };
        }
        const plan = await openImport(args.assistant, flags.only ?? KINDS, { ...request, config });
        this.log(planText(plan));
        const { changeSet, taken, left } = plan;
        if (flags["dry-run"] || changeSet.changes.length === 0) {
            return { taken, left, applied: false };
        }
        const asking = this.asking(flags.force);
        const applied = await applyConfirmed(plan, `Import from ${plan.title}`, asking);
        this.log(applied ? "Done." : "Nothing changed.");
        if (applied) {
            const { config: configFolder, data: dataFolder } = directories;
            const places = { root: plan.root, configFolder, dataFolder };
            for (const each of await newUnreadServers(config.plugins, places)) this.log(each);
        }
        return { taken, left, applied };
    }
}
