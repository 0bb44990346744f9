import { Args, Command, Flags } from "@oclif/core";
import { requestToAllow } from "../../allow.js";
import { confirmInTerminal } from "../../confirm-in-terminal.js";
import { placeOf } from "../../place.js";
import { tellFailure } from "../../tell-failure.js";

export default class McpAllow extends Command {
    static override summary =
        "Show what an MCP server runs, and let it after a yes, as it is defined now.";
    static override args = { name: Args.string({ description: "Its name", required: true }) };
    static override flags = {
        "read-only": Flags.boolean({
            description: "Tools that it calls read-only run without asking, in ask mode too",
        }),
        yes: Flags.boolean({
            char: "y",
            description: "Do not ask; needed where there is no terminal to ask in",
        }),
    };

    async run(): Promise<void> {
        const { args, flags } = await this.parse(McpAllow);
        const place = placeOf(process.cwd(), process.env);
        const permission = { readOnlyTools: flags["read-only"] };
        const request = await requestToAllow(place, args.name, permission);
        const { question, confirmation, accept } = request;
        const isAsked = process.stdin.isTTY && process.stdout.isTTY && !flags.yes;
        if (!isAsked) this.log(confirmation.details.join("\n"));
        const asked = { question, flag: "--yes", ...confirmation };
        const isAllowed = flags.yes || (await confirmInTerminal(this.config, asked));
        this.log(isAllowed ? await accept() : "Nothing was allowed.");
    }

    protected override async catch(error: Error): Promise<void> {
        tellFailure(this, error);
    }
}
