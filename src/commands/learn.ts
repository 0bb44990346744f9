import { Flags } from "@oclif/core";
import { withSpinner } from "../chat/terminal/spinner.js";
import { BaseCommand } from "../host/command-line/base-command.js";
import {
    forgetProfile,
    learnedText,
    learnProject,
    shownProfile,
} from "../host/session/learn-command.js";
import { pathFlag } from "../host/command-line/path-flag.js";

export default class Learn extends BaseCommand {
    static override summary = "Learn this repository, for all conversations about it.";
    static override description =
        "A model looks at the repository with tools that only read, topic by topic, and writes a " +
        "profile that every new conversation begins with. Run it again when much has changed: what " +
        "cannot be learned anew stays as it was.";
    static override enableJsonFlag = true;
    static override examples = [
        "<%= config.bin %> learn",
        { command: "<%= config.bin %> learn --show", description: "Print what was learned." },
        { command: "<%= config.bin %> learn --forget", description: "Delete it." },
    ];
    static override flags = {
        show: Flags.boolean({ description: "Print the profile.", exclusive: ["forget", "model"] }),
        forget: Flags.boolean({ description: "Delete the profile.", exclusive: ["model"] }),
        model: Flags.string({
            description: "Alias or id of the model; `north models` lists them.",
        }),
        path: pathFlag(),
    };

    async run(): Promise<unknown> {
        const { show, forget, model, path } = (await this.parse(Learn)).flags;
        const { directories, config } = this;
        const place = { directories, path };
        if (show) {
            const shown = await shownProfile(place);
            this.log(shown.profile);
            return shown;
        }
        if (forget) {
            const forgotten = await forgetProfile(place);
            this.log(forgotten.forgotten ? "Forgotten." : "There was nothing to forget.");
            return forgotten;
        }
        const tell = (text: string) => this.logToStderr(text);
        const { learned, exitCode } = await withSpinner("Learning this repository", (update) =>
            learnProject({
                ...place,
                config,
                environment: process.env,
                ...(model === undefined ? {} : { model }),
                tell,
                progress: process.stderr.isTTY ? update : tell,
            })
        );
        this.log(learnedText(learned));
        process.exitCode = exitCode;
        return learned;
    }
}
