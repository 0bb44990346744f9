import { type Fields, isFields } from "../../base/fields.js";
import { meetsCondition } from "../checks/hook-condition.js";
import {
    EVERY_PROJECT,
    type ForeignFile,
    type ForeignAssistant,
    NO_DENIALS,
    NO_SUCH_SETTING,
    NOT_WHOLE,
    OTHER_AGENTS,
    textsIn,
} from "./foreign-setting.js";
import { DISABLED, type ServerReading, takeServers } from "./servers.js";

const REASONS: Readonly<Record<string, string>> = {
    instructions: "name these files in `AGENTS.md`, or put their text there",
    provider: "add its server to `providers` in config.json; North imports no credentials",
    agent: "an agent's permissions, model and prompt belong together",
};

/** https://opencode.ai/docs/config */
export const opencode: ForeignAssistant = {
    id: "opencode",
    title: "opencode",
    files: [
        { path: "~/.config/opencode/opencode.json", read: readConfig },
        { path: "~/.config/opencode/opencode.jsonc", read: readConfig },
        { path: "opencode.json", read: readConfig },
        { path: "opencode.jsonc", read: readConfig },
        { path: ".opencode/opencode.json", read: readConfig },
        { path: ".opencode/opencode.jsonc", read: readConfig },
    ],
    instructions: "~/.config/opencode/AGENTS.md",
    others: [
        ...[".opencode/agent", ".opencode/agents"].map((path) => ({ path, reason: OTHER_AGENTS })),
        ...["plugin", "plugins", "tool", "tools"].map((name) => ({
            path: `.opencode/${name}`,
            reason: "its plugins and tools are programs for opencode",
        })),
    ],
};

async function readConfig(file: ForeignFile, value: Fields): Promise<void> {
    const { mcp, permission, model } = value;
    takeServers(file, mcp, "mcp", readServer);
    const bash = isFields(permission) ? permission.bash : undefined;
    if (isFields(bash)) await takePermissions(file, bash);
    else if (bash !== undefined) file.leave(`permission.bash: ${String(bash)}`, NOT_WHOLE);
    for (const name of isFields(permission) ? Object.keys(permission) : []) {
        if (name !== "bash") file.leave(`permission.${name}`, NO_SUCH_SETTING);
    }
    file.takeModel(model);
    file.leaveRest(value, ["mcp", "permission", "model"], REASONS);
}

function readServer(server: Fields): ServerReading {
    const [command, ...args] = textsIn(server.command);
    const { environment: env, enabled, oauth } = server;
    const isFromFile = JSON.stringify(server).includes("{file:");
    return {
        fields: { ...server, command, args, env },
        problem:
            enabled === false ? DISABLED : isFromFile ? "it reads a value from a file" : undefined,
        reason: isFields(oauth) ? "`oauth` is not imported; see `north mcp login`" : undefined,
        variables: (text) => text.replace(/\{env:(\w+)\}/g, "${$1}"),
    };
}

/** The last rule that matches a command decides. */
async function takePermissions(file: ForeignFile, rules: Fields): Promise<void> {
    const entries = Object.entries(rules);
    for (const [pattern, action] of entries) {
        const what = `permission.bash: ${pattern}: ${String(action)}`;
        if (action !== "allow") {
            file.leave(what, action === "deny" ? NO_DENIALS : "North asks unless you allowed it");
        } else if (/[*?]/.test(pattern)) {
            file.leave(what, NOT_WHOLE);
        } else if (!file.isProject) {
            file.leave(what, EVERY_PROJECT);
        } else if ((await actionFor(pattern, entries, file.root)) !== "allow") {
            file.leave(what, "a later rule denies it or asks about it");
        } else {
            file.take(what, { kind: "permission", command: pattern });
        }
    }
}

async function actionFor(
    command: string,
    rules: readonly (readonly [string, unknown])[],
    root: string
): Promise<unknown> {
    const event = { tool_name: "Bash", tool_input: { command } };
    const met = await Promise.all(
        rules.map(([pattern]) => meetsCondition(`Bash(${pattern})`, event, root))
    );
    return rules.findLast((_rule, index) => met[index])?.[1];
}
