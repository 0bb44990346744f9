import * as fs from "node:fs";
import path from "node:path";
import { ClaudeWorkplace } from "./claude-workplace.js";
import type { RunOptions } from "./north-program.js";

const PLUGIN = path.resolve("plugins/north-plugin-mcp");

/** A workplace whose North has the built MCP plugin installed. */
export class McpWorkplace extends ClaudeWorkplace {
    constructor(files: Readonly<Record<string, string>> = {}) {
        super(files);
        fs.mkdirSync(this.data, { recursive: true });
        const plugins = [{ name: "north-plugin-mcp", root: PLUGIN, type: "link" }];
        const content = { name: "north-cli", private: true, oclif: { schema: 1, plugins } };
        fs.writeFileSync(path.join(this.data, "package.json"), JSON.stringify(content));
    }

    override environment(extra: RunOptions["env"] = {}): Record<string, string> {
        // Where oclif looks for installed plugins.
        return super.environment({ NORTH_DATA_DIR: this.data, ...extra });
    }

    /** Servers that the repository names. */
    shared(mcpServers: object): void {
        this.write(".mcp.json", JSON.stringify({ mcpServers }));
    }

    /** Servers that the user names. */
    own(mcpServers: object): void {
        const file = path.join(this.home, ".config/north/mcp.json");
        fs.writeFileSync(file, JSON.stringify({ mcpServers }));
    }
}
