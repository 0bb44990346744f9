import { Args, Command } from "@oclif/core";
import { foldersAndSecrets } from "../../ask-north.js";
import { signOut } from "../../sign-in.js";

export default class McpLogout extends Command {
    static override summary = "Remove your sign-in to an MCP server.";
    static override args = {
        name: Args.string({ description: "Name of the server.", required: true }),
    };
    static override examples = ["north mcp logout tickets"];

    async run(): Promise<void> {
        const { args } = await this.parse(McpLogout);
        const folders = await foldersAndSecrets(this.config);
        this.log(await signOut(folders, args.name));
    }
}
