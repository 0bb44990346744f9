import { type Fields, isFields } from "../../base/fields.js";
import {
    type ForeignFile,
    type ForeignAssistant,
    NO_DENIALS,
    NO_SUCH_SETTING,
    NOT_WHOLE,
    OTHER_AGENTS,
    OTHER_PROTOCOL,
    textsIn,
    VI_KEYS,
} from "./foreign-setting.js";
import { LIMITED_TOOLS, takeServers } from "./servers.js";

const TOML = "its commands are TOML; North's are Markdown";

/** https://github.com/google-gemini/gemini-cli/blob/main/docs/reference/configuration.md */
export const gemini: ForeignAssistant = {
    id: "gemini",
    title: "Gemini CLI",
    files: [
        { path: "~/.gemini/settings.json", read: readGemini },
        { path: ".gemini/settings.json", read: readGemini },
    ],
    instructions: "~/.gemini/GEMINI.md",
    projectInstructions: ["GEMINI.md"],
    others: [
        { path: "~/.gemini/policies", reason: `a policy allows patterns: ${NOT_WHOLE}` },
        ...["~/.gemini/commands", ".gemini/commands"].map((path) => ({ path, reason: TOML })),
        { path: ".gemini/agents", reason: OTHER_AGENTS },
    ],
};

async function readGemini(file: ForeignFile, value: Fields): Promise<void> {
    const { mcpServers, model, tools, hooks, general } = value;
    takeServers(file, mcpServers, "mcpServers", (server) => {
        const isLimited = [server.includeTools, server.excludeTools].some(
            (names) => names !== undefined
        );
        return {
            fields: asHttp(server),
            ...(isLimited && { problem: LIMITED_TOOLS }),
            ...(server.trust === true && {
                reason: "`trust` is not imported: North asks about its tools",
            }),
            variables: (text) => text.replace(/\$(\w+)/g, "${$1}"),
        };
    });
    const name = isFields(model) ? model.name : model;
    file.takeModel(name, "model.name");
    const { allowed, exclude } = isFields(tools) ? tools : {};
    for (const rule of textsIn(allowed)) file.leave(`tools.allowed: ${rule}`, NOT_WHOLE);
    for (const rule of textsIn(exclude)) file.leave(`tools.exclude: ${rule}`, NO_DENIALS);
    if (hooks !== undefined) file.leave("hooks", OTHER_PROTOCOL);
    const { vimMode, ...others } = isFields(general) ? general : {};
    if (vimMode !== undefined) file.leave("general.vimMode", VI_KEYS);
    for (const each of Object.keys(others)) file.leave(`general.${each}`, NO_SUCH_SETTING);
    file.leaveRest(value, ["mcpServers", "model", "tools", "hooks", "general"]);
}

/** `httpUrl` is streamable HTTP, and `url` alone the older SSE. */
function asHttp(server: Fields): Fields {
    const { httpUrl, url, type, ...rest } = server;
    if (typeof httpUrl === "string") return { ...rest, url: httpUrl };
    return url === undefined ? rest : { ...rest, url, type: type ?? "sse" };
}

/** https://cursor.com/docs/cli/reference/permissions and https://cursor.com/docs/mcp */
export const cursor: ForeignAssistant = {
    id: "cursor",
    title: "Cursor",
    files: [
        { path: "~/.cursor/mcp.json", read: readCursorServers },
        { path: "~/.cursor/cli-config.json", read: readCursorPermissions },
        { path: ".cursor/mcp.json", read: readCursorServers },
        { path: ".cursor/cli.json", read: readCursorPermissions },
    ],
    others: [
        { path: "~/.cursor/hooks.json", reason: OTHER_PROTOCOL },
        { path: ".cursor/hooks.json", reason: OTHER_PROTOCOL },
        { path: ".cursor/agents", reason: OTHER_AGENTS },
        { path: ".cursorrules", reason: "move its text to `AGENTS.md` or `.cursor/rules`" },
    ],
};

/** https://code.visualstudio.com/docs/reference/variables-reference */
function editorVariables(text: string): string {
    return text
        .replace(/\$\{env:(\w+)\}/g, "${$1}")
        .replaceAll("${workspaceFolder}", "${NORTH_PROJECT_DIR}")
        .replaceAll("${userHome}", "${HOME}");
}

async function readCursorServers(file: ForeignFile, { mcpServers }: Fields): Promise<void> {
    takeServers(file, mcpServers, "mcpServers", () => ({ variables: editorVariables }));
}

async function readCursorPermissions(file: ForeignFile, value: Fields): Promise<void> {
    const { allow, deny } = isFields(value.permissions) ? value.permissions : {};
    for (const rule of textsIn(allow)) file.leave(`permissions.allow: ${rule}`, NOT_WHOLE);
    for (const rule of textsIn(deny)) file.leave(`permissions.deny: ${rule}`, NO_DENIALS);
    file.leaveRest(value, ["permissions", "version"]);
}

/** https://docs.github.com/en/copilot/how-tos/copilot-cli/set-up-copilot-cli/configure-copilot-cli */
export const copilot: ForeignAssistant = {
    id: "copilot",
    title: "Copilot",
    files: [
        { path: "~/.copilot/mcp-config.json", read: readCopilotServers },
        { path: "~/.copilot/config.json", read: readCopilotConfig },
        { path: ".copilot/mcp-config.json", read: readCopilotServers },
        { path: ".vscode/mcp.json", read: readEditorServers },
    ],
    instructions: "~/.copilot/copilot-instructions.md",
    projectInstructions: [".github/copilot-instructions.md"],
    others: [
        { path: ".github/hooks", reason: OTHER_PROTOCOL },
        ...[".github/agents", ".github/chatmodes"].map((path) => ({ path, reason: OTHER_AGENTS })),
    ],
};

function limitedTools({ tools }: Fields) {
    const isLimited = tools !== undefined && !textsIn(tools).includes("*");
    return isLimited ? { problem: LIMITED_TOOLS } : {};
}

async function readCopilotServers(file: ForeignFile, { mcpServers }: Fields): Promise<void> {
    takeServers(file, mcpServers, "mcpServers", limitedTools);
}

/** Besides settings, this file contains the signed-in users, which are not read. */
async function readCopilotConfig(file: ForeignFile, { model, ...value }: Fields): Promise<void> {
    file.takeModel(model);
    for (const name of ["trusted_folders", "trustedFolders"]) {
        if (value[name] === undefined) continue;
        file.leave(name, "North trusts no folder as a whole; `/trust` allows what it brings");
    }
}

async function readEditorServers(file: ForeignFile, { servers }: Fields): Promise<void> {
    takeServers(file, servers, "servers", (server) => ({
        ...(JSON.stringify(server).includes("${input:") && {
            problem: "it asks for values when it starts, which North does not do",
        }),
        variables: editorVariables,
    }));
}
