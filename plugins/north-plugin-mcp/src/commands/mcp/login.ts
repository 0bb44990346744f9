import { Args, Command } from "@oclif/core";
import { foldersAndSecrets } from "../../ask-north.js";
import { signIn } from "../../sign-in.js";

export default class McpLogin extends Command {
    static override summary = "Sign in to an MCP server in a browser (OAuth).";
    static override args = {
        name: Args.string({ description: "Name of the server.", required: true }),
    };
    static override examples = ["north mcp login tickets"];

    async run(): Promise<void> {
        const { args } = await this.parse(McpLogin);
        const folders = await foldersAndSecrets(this.config);
        this.log(await signIn(folders, args.name, (text) => this.log(text)));
    }
}
