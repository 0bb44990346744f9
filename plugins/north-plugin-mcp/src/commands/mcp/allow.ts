import { Args, Command, Flags } from "@oclif/core";
import { requestToAllow } from "../../allow.js";
import { confirmInTerminal, foldersAndSecrets } from "../../ask-north.js";

export default class McpAllow extends Command {
    static override summary =
        "Show what an MCP server runs, ask, and allow its current definition.";
    static override args = {
        name: Args.string({ description: "Name of the server.", required: true }),
    };
    static override flags = {
        "read-only": Flags.boolean({
            description: "Run the tools it calls read-only without asking, even in ask mode.",
        }),
        yes: Flags.boolean({
            char: "y",
            description: "Skip the confirmation; required without a terminal.",
        }),
    };

    async run(): Promise<void> {
        const { args, flags } = await this.parse(McpAllow);
        const folders = await foldersAndSecrets(this.config);
        const permission = { readOnlyTools: flags["read-only"] };
        const request = await requestToAllow(folders, args.name, permission);
        const { question, confirmation, accept } = request;
        const isAsked = process.stdin.isTTY && process.stdout.isTTY && !flags.yes;
        if (!isAsked) this.log(confirmation.details.join("\n"));
        const asked = { question, flag: "--yes", ...confirmation };
        const isAllowed = flags.yes || (await confirmInTerminal(this.config, asked));
        this.log(isAllowed ? await accept() : "Nothing allowed.");
    }
}
