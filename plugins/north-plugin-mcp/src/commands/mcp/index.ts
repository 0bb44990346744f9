import { Command } from "@oclif/core";
import { overviewOf, overviewText } from "../../manage.js";
import { foldersAndSecrets } from "../../ask-north.js";

export default class Mcp extends Command {
    static override summary =
        "Ask the MCP servers of this repository and your own for their tools.";
    static override enableJsonFlag = true;
    static override examples = ["north mcp", "north mcp --json"];

    async run(): Promise<unknown> {
        await this.parse(Mcp);
        const overview = await overviewOf(await foldersAndSecrets(this.config));
        this.log(overviewText(overview));
        const isSilent = overview.servers.some(({ problem }) => problem !== undefined);
        if (isSilent || overview.problems.length > 0) process.exitCode = 1;
        return overview;
    }
}
