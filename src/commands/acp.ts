import { Flags } from "@oclif/core";
import { BaseCommand } from "../host/command-line/base-command.js";
import { chatFlags } from "../host/command-line/chat-flags.js";

export default class Acp extends BaseCommand {
    static override summary = "Serve an editor over the Agent Client Protocol.";
    static override enableJsonFlag = false;
    static override description =
        "Your editor starts it and talks to it over stdin and stdout; see docs/editors.md.";
    static override examples = [
        { command: "north acp", description: "Command to configure in an editor." },
        {
            command: "north acp --mode ask --model sonnet",
            description: "Start each session with this mode and model.",
        },
    ];
    static override flags = {
        model: chatFlags.model,
        thinking: chatFlags.thinking,
        mode: chatFlags.mode,
        contain: chatFlags.contain,
        "accept-edits": chatFlags["accept-edits"],
        "approve-shell": chatFlags["approve-shell"],
        "max-turns": chatFlags["max-turns"],
        "max-cost": chatFlags["max-cost"],
        "log-level": chatFlags["log-level"],
        login: Flags.boolean({ summary: "Store an API key instead, for editors with a terminal." }),
    };

    async run(): Promise<void> {
        const {
            flags: { login, ...flags },
        } = await this.parse(Acp);
        if (login) return this.config.runCommand("login");
        const { serveAcp } = await import("../host/serve-acp.js");
        process.exitCode = await serveAcp({ flags, ...this.surroundings });
    }
}
