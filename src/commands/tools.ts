import { BaseCommand } from "../host/command-line/base-command.js";
import { listTools, toolTables } from "../host/operations/tool-list.js";

export default class Tools extends BaseCommand {
    static override summary =
        "List tools, providers and slash commands by plugin, and the project's agents.";
    static override examples = ["north tools", "north tools --json"];

    async run(): Promise<unknown> {
        await this.parse(Tools);
        const list = await listTools(this.config);
        this.log(toolTables(list));
        if (!this.jsonEnabled()) for (const problem of list.problems) this.logToStderr(problem);
        return list;
    }
}
