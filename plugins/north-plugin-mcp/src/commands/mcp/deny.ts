import { Args, Command } from "@oclif/core";
import { denyServer } from "../../manage.js";
import { foldersAndSecrets } from "../../ask-north.js";

export default class McpDeny extends Command {
    static override summary = "Revoke an MCP server's permission.";
    static override args = {
        name: Args.string({ description: "Name of the server.", required: true }),
    };

    async run(): Promise<void> {
        const { args } = await this.parse(McpDeny);
        this.log(await denyServer(await foldersAndSecrets(this.config), args.name));
    }
}
