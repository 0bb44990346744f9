import { type Fields, isFields } from "../../base/fields.js";
import { meetsCondition } from "../checks/hook-condition.js";
import {
    EVERY_PROJECT,
    type ForeignFile,
    type ForeignAssistant,
    NO_DENIALS,
    NO_SUCH_SETTING,
    NOT_WHOLE,
    textsIn,
    VI_KEYS,
} from "./foreign-setting.js";
import { takeHooks } from "./hooks.js";
import { takeServers } from "./servers.js";

const SERVERS_ASK = "North asks before it starts a server that a repository names";
const MODE_REASON = "`mode` in config.json is the mode to start in, and `/auto` accepts edits";
const REASONS: Readonly<Record<string, string>> = {
    enableAllProjectMcpServers: SERVERS_ASK,
    enabledMcpjsonServers: SERVERS_ASK,
    editorMode: VI_KEYS,
    env: "North sets no variables for commands; export them in your shell",
    statusLine: "North gives its statusLine command other fields",
    mcpServers: "Claude Code reads no servers from this file",
    apiKeyHelper: "North imports no credentials; see `north login`",
};

/** https://code.claude.com/docs/en/settings */
export const claude: ForeignAssistant = {
    id: "claude",
    title: "Claude Code",
    files: [
        { path: "~/.claude/settings.json", read: readSettings },
        { path: "~/.claude.json", read: readState },
        { path: ".claude/settings.json", read: readSettings },
        { path: ".claude/settings.local.json", read: readSettings },
    ],
    instructions: "~/.claude/CLAUDE.md",
    projectInstructions: ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"],
    others: [
        { path: "~/.claude/commands", reason: "copy its files to `~/.config/north/commands`" },
        { path: "~/.claude/agents", reason: "copy its files to `~/.config/north/agents`" },
        { path: "~/.claude/skills", reason: "copy its folders to `~/.config/north/skills`" },
    ],
};

async function readSettings(file: ForeignFile, value: Fields): Promise<void> {
    const { permissions, hooks, model } = value;
    if (isFields(permissions)) await takePermissions(file, permissions);
    takeHooks(file, hooks);
    file.takeModel(model);
    file.leaveRest(value, ["permissions", "hooks", "model"], REASONS);
}

/** The program's own file also contains its sign-in, which is not read. */
async function readState(file: ForeignFile, { mcpServers, projects }: Fields): Promise<void> {
    takeServers(file, mcpServers, "mcpServers");
    const project = isFields(projects) ? projects[file.root] : undefined;
    if (!isFields(project)) return;
    takeServers(file, project.mcpServers, "projects.mcpServers", () => ({
        problem:
            "it is for this project only: `.mcp.json` would share it, and your own file applies to all projects",
    }));
}

async function takePermissions(file: ForeignFile, permissions: Fields): Promise<void> {
    const { allow, deny, ask, ...rest } = permissions;
    const against = [...textsIn(deny), ...textsIn(ask)];
    for (const rule of textsIn(allow)) {
        const what = `permissions.allow: ${rule}`;
        const [, command] = /^Bash\(([^]*)\)$/.exec(rule) ?? [];
        const reason = await reasonToLeave(rule, command, file, against);
        if (reason !== undefined || command === undefined) file.leave(what, reason ?? NOT_WHOLE);
        else file.take(what, { kind: "permission", command });
    }
    for (const rule of textsIn(deny)) file.leave(`permissions.deny: ${rule}`, NO_DENIALS);
    for (const rule of textsIn(ask)) {
        file.leave(
            `permissions.ask: ${rule}`,
            "North asks unless you allowed exactly this command"
        );
    }
    const { defaultMode, ...unknown } = rest;
    if (defaultMode !== undefined) file.leave("permissions.defaultMode", MODE_REASON);
    for (const name of Object.keys(unknown)) file.leave(`permissions.${name}`, NO_SUCH_SETTING);
}

async function reasonToLeave(
    rule: string,
    command: string | undefined,
    { isProject, root }: ForeignFile,
    against: readonly string[]
): Promise<string | undefined> {
    if (rule.startsWith("mcp__")) return "North asks at a server's first call; `a` allows the tool";
    if (rule.startsWith("WebFetch")) {
        return "North asks at a host's first page; `a` allows the host";
    }
    if (command === undefined) {
        if (rule === "Bash") return NOT_WHOLE;
        const isFile = /^(?:Read|Glob|Grep|LS|Edit|Write|MultiEdit|Notebook\w+)\b/.test(rule);
        return isFile
            ? "North reads the project without asking, and you review every edit"
            : "North has no rule for this tool; it asks about its actions where they matter";
    }
    if (command.trim() === "" || command.includes("*") || command.endsWith(":")) return NOT_WHOLE;
    if (!isProject) return EVERY_PROJECT;
    const event = { tool_name: "Bash", tool_input: { command } };
    const met = await Promise.all(against.map((each) => meetsCondition(each, event, root)));
    const index = met.indexOf(true);
    return index < 0 ? undefined : `\`${against[index]}\` denies it or asks about it`;
}
