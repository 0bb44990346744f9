import { Flags } from "@oclif/core";
import { withSpinner } from "../chat/terminal/spinner.js";
import { BaseCommand } from "../host/command-line/base-command.js";
import { forgetProfile, learnedText, learnProject, shownProfile } from "../host/learn-command.js";
import { pathFlag } from "../host/command-line/flags.js";

export default class Learn extends BaseCommand {
    static override summary = "Learn this repository for all later conversations.";
    static override description =
        "A model explores the repository with read-only tools, topic by topic, and writes a " +
        "profile that every new conversation starts with. Run it again after large changes: a topic " +
        "that fails keeps its old text.";
    static override examples = [
        "<%= config.bin %> learn",
        { command: "<%= config.bin %> learn --show", description: "Print the profile." },
        { command: "<%= config.bin %> learn --forget", description: "Delete the profile." },
    ];
    static override flags = {
        show: Flags.boolean({ description: "Print the profile.", exclusive: ["forget", "model"] }),
        forget: Flags.boolean({ description: "Delete the profile.", exclusive: ["model"] }),
        model: Flags.string({
            description: "Alias or ID of the model; see `north models`.",
            helpValue: "MODEL",
        }),
        path: pathFlag(),
    };

    async run(): Promise<unknown> {
        const { show, forget, model, path } = (await this.parse(Learn)).flags;
        const place = { ...this.surroundings, path };
        if (show) {
            const shown = await shownProfile(place);
            this.log(shown.profile);
            return shown;
        }
        if (forget) {
            const forgotten = await forgetProfile(place);
            this.log(forgotten.forgotten ? "Profile deleted." : "No profile to delete.");
            return forgotten;
        }
        const tell = (text: string) => this.logToStderr(text);
        const { learned, exitCode } = await withSpinner("Learning this repository", (update) =>
            learnProject({ ...place, model, tell, progress: process.stderr.isTTY ? update : tell })
        );
        this.log(learnedText(learned));
        process.exitCode = exitCode;
        return learned;
    }
}
