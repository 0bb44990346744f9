import { Flags } from "@oclif/core";
import { withSpinner } from "../chat/terminal/spinner.js";
import { BaseCommand } from "../host/command-line/base-command.js";
import { chatFlags } from "../host/command-line/chat-flags.js";
import {
    forgetProfile,
    learnedText,
    mustLearnFirst,
    shownProfile,
    writeProfileTo,
} from "../host/learned-profile.js";
import { pathFlag, textFlag } from "../host/command-line/flags.js";

export default class Learn extends BaseCommand {
    static override summary = "Study this repository for later conversations.";
    static override description =
        "A model explores the repository with read-only tools, topic by topic, and writes a " +
        "profile that every new conversation starts with. Run it again after large changes: a topic " +
        "that fails keeps its old text.";
    static override usage =
        "learn [--show | --forget | [-m MODEL] [--write FILE [-f]]] [--json] [--path DIR]";
    static override examples = [
        "north learn",
        { command: "north learn --show", description: "Print the profile." },
        { command: "north learn --write AGENTS.md", description: "Share the profile." },
        { command: "north learn --forget", description: "Delete the profile." },
    ];
    static override flags = {
        show: Flags.boolean({ description: "Print the profile.", exclusive: ["forget", "model"] }),
        forget: Flags.boolean({ description: "Delete the profile.", exclusive: ["model"] }),
        write: textFlag({
            description: "Write the profile to a file of the repository; learns first if needed.",
            helpValue: "FILE",
            exclusive: ["show", "forget"],
        }),
        force: Flags.boolean({
            char: "f",
            description: "With --write: skip the confirmation.",
            dependsOn: ["write"],
        }),
        model: chatFlags.model,
        path: pathFlag(),
    };

    async run(): Promise<unknown> {
        const { show, forget, write, force, model, path } = (await this.parse(Learn)).flags;
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
        const learns = write === undefined || (await mustLearnFirst(write, place, force));
        const learned = learns ? await this.learn(place, model) : undefined;
        if (write === undefined || process.exitCode) return learned;
        const { text, ...written } = await writeProfileTo(write, place, this.asking(force));
        this.log(text);
        return { ...learned, written };
    }

    private async learn(
        place: Learn["surroundings"] & { path: string },
        model: string | undefined
    ) {
        const { learnOutsideChat } = await import("../host/outside-chat.js");
        const tell = (text: string) => this.logToStderr(text);
        const { learned, exitCode } = await withSpinner("Learning this repository", (update) => {
            const progress = process.stderr.isTTY ? update : tell;
            return learnOutsideChat({ ...place, model, tell, progress });
        });
        this.log(learnedText(learned));
        process.exitCode = exitCode;
        return learned;
    }
}
