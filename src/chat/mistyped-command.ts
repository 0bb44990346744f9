import { nearName } from "../base/near-name.js";
import { parseSlashLine } from "../core/slash-line.js";
import type { SlashCommand } from "../plugin/index.js";

/** Names of the same commands in other coding assistants. */
const NAMES_ELSEWHERE: Readonly<Record<string, string>> = {
    "add-dir": "context",
    approvals: "auto",
    compact: "summarize",
    compress: "summarize",
    config: "help",
    cost: "costs",
    history: "conversations",
    init: "learn",
    permissions: "auto",
    q: "quit",
    reset: "new",
    restore: "undo",
    rewind: "undo",
    sessions: "conversations",
    stats: "usage",
    status: "usage",
    tokens: "usage",
    think: "thinking",
};

export const MCP_PLUGIN = "`north plugins install north-plugin-mcp` adds MCP servers.";

/** A correction for a mistyped command; `undefined` for a message such as `/tmp is full`. */
export function mistypedCommand(
    input: string,
    commands: readonly SlashCommand[]
): string | undefined {
    const { invocations, unknown } = parseSlashLine(input, commands);
    const [name] = unknown;
    if (name === undefined || invocations.length > 0) return undefined;
    if (!input.trimStart().toLowerCase().startsWith(`/${name}`)) return undefined;
    const names = commands.map((command) => command.name);
    const elsewhere = NAMES_ELSEWHERE[name];
    if (elsewhere !== undefined && names.includes(elsewhere)) {
        return `There is no /${name}. Use /${elsewhere}.`;
    }
    if (name === "mcp") return `There is no /mcp. ${MCP_PLUGIN}`;
    const near = nearName(name, names);
    if (near !== undefined) return `There is no /${name}. Did you mean /${near}?`;
    const isAlone = input.trim().length === name.length + 1;
    return isAlone ? `There is no /${name}. /help lists the commands.` : undefined;
}
