import { Args, Command, Flags } from "@oclif/core";
import { allowServer } from "../../manage.js";
import { placeOf } from "../../place.js";
import { tellFailure } from "../../tell-failure.js";

export default class McpAllow extends Command {
    static override summary = "Let an MCP server of this repository run, as it is defined now.";
    static override args = { name: Args.string({ description: "Its name", required: true }) };
    static override flags = {
        "read-only": Flags.boolean({
            description: "Tools that it calls read-only run without asking, in ask mode too",
        }),
    };

    async run(): Promise<void> {
        const { args, flags } = await this.parse(McpAllow);
        const place = placeOf(process.cwd(), process.env);
        this.log(await allowServer(place, args.name, { readOnlyTools: flags["read-only"] }));
    }

    protected override async catch(error: Error): Promise<void> {
        tellFailure(this, error);
    }
}
