import { type Fields, isFields } from "../../base/fields.js";
import {
    type ForeignFile,
    type ForeignAssistant,
    NOT_WHOLE,
    OTHER_AGENTS,
    textsIn,
} from "./foreign-setting.js";
import { takeHooks } from "./hooks.js";
import { DISABLED, LIMITED_TOOLS, type ServerReading, takeServers } from "./servers.js";

const CONTAINED = "North runs commands contained first, and asks about their effects";
const REASONS: Readonly<Record<string, string>> = {
    approval_policy: CONTAINED,
    sandbox_mode: CONTAINED,
    projects: "North trusts no folder as a whole; `/trust` allows what a repository brings",
};

/** https://developers.openai.com/codex/config-reference */
export const codex: ForeignAssistant = {
    id: "codex",
    title: "Codex CLI",
    files: [
        { path: "~/.codex/config.toml", read: readConfig },
        { path: "~/.codex/hooks.json", read: readHookFile },
        { path: ".codex/config.toml", read: readConfig },
        { path: ".codex/hooks.json", read: readHookFile },
    ],
    instructions: "~/.codex/AGENTS.md",
    others: [
        { path: ".codex/agents", reason: OTHER_AGENTS },
        { path: ".codex/prompts", reason: "Codex CLI reads no prompts from a project" },
        { path: ".codex/rules", reason: `a rule allows beginnings of commands: ${NOT_WHOLE}` },
        { path: "~/.codex/rules", reason: `a rule allows beginnings of commands: ${NOT_WHOLE}` },
        { path: "~/.codex/prompts", reason: "copy its files to `~/.config/north/commands`" },
    ],
};

async function readHookFile(file: ForeignFile, { hooks }: Fields): Promise<void> {
    takeHooks(file, hooks);
}

async function readConfig(file: ForeignFile, value: Fields): Promise<void> {
    const { mcp_servers: servers, hooks, model } = value;
    takeServers(file, servers, "mcp_servers", readServer);
    takeHooks(file, hooks);
    file.takeModel(model);
    file.leaveRest(value, ["mcp_servers", "hooks", "model"], REASONS);
}

function readServer(server: Fields): ServerReading {
    const {
        env,
        enabled,
        tool_timeout_sec: seconds,
        bearer_token_env_var: bearer,
        http_headers: headers,
        env_http_headers: named,
    } = server;
    const isLimited = ["enabled_tools", "disabled_tools"].some(
        (field) => server[field] !== undefined
    );
    const passed = textsIn(server.env_vars).map((variable) => [variable, `\${${variable}}`]);
    const fromVariables = Object.entries(isFields(named) ? named : {}).map(([header, variable]) => [
        header,
        `\${${String(variable)}}`,
    ]);
    const fields = {
        ...server,
        env: { ...Object.fromEntries(passed), ...(isFields(env) && env) },
        headers: {
            ...(isFields(headers) && headers),
            ...Object.fromEntries(fromVariables),
            ...(typeof bearer === "string" && { Authorization: `Bearer \${${bearer}}` }),
        },
        timeout: typeof seconds === "number" ? Math.round(seconds * 1_000) : undefined,
    };
    return {
        fields,
        problem: enabled === false ? DISABLED : isLimited ? LIMITED_TOOLS : undefined,
    };
}
