import os from "node:os";
import path from "node:path";
import { packageRoot } from "../base/package-root.js";
import { builtin } from "../builtin/index.js";
import { agentsContribution } from "../builtin/agents/agents.js";
import { markdownCommands } from "../builtin/commands/markdown-commands.js";
import { compatibleProvidersFromConfig } from "../builtin/providers/compatible/config.js";
import { knownServers } from "../builtin/providers/compatible/known-servers.js";
import { skillsContribution } from "../builtin/skills/skills.js";
import { delegateTool } from "../builtin/tools/delegate.js";
import { exploreTool } from "../builtin/tools/explore.js";
import type { Contribution, RegisterHook } from "../plugin/index.js";

/** Registers North's built-in plugin through the same hook as any other. */
const register: RegisterHook = async ({ settings, root, configFolder }) => {
    const { providers, problems } = compatibleProvidersFromConfig(settings);
    const configured = new Set(providers.map(({ id }) => id));
    const known = knownServers.filter(({ id }) => !configured.has(id));
    const place = { root, configFolder, home: os.homedir() };
    const skills = await skillsContribution(place);
    const standing = [...(builtin.tools ?? []), ...(skills.tools ?? [])];
    const agents = await agentsContribution({
        ...{ ...place, ownTools: standing },
        toolsWith: (find) => [exploreTool(find), delegateTool(find)],
    });
    const own = merged([
        { ...builtin, tools: standing.map(replacedBy(agents.tools)) },
        { apiVersion: 1, providers: [...providers, ...known], problems },
        { apiVersion: 1, ...skills, tools: [] },
        { apiVersion: 1, ...agents, tools: [] },
    ]);
    const taken = own.slashCommands.map(({ name }) => name);
    const shippedFolder = path.join(packageRoot(), "templates", "commands");
    const slashCommands = await markdownCommands({ root, configFolder, shippedFolder, taken });
    const { listAgents } = agents;
    return {
        ...merged([own, { apiVersion: 1, slashCommands }]),
        ...(listAgents && { listAgents }),
    };
};

/** Replaces a tool by the one of the same name in its place: requests list them in this order. */
function replacedBy(tools: Contribution["tools"] = []) {
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    return (tool: (typeof tools)[number]) => byName.get(tool.name) ?? tool;
}

function merged(
    parts: readonly Contribution[]
): Required<Omit<Contribution, "close" | "listAgents">> {
    return {
        apiVersion: 1,
        tools: parts.flatMap(({ tools = [] }) => tools),
        providers: parts.flatMap(({ providers = [] }) => providers),
        slashCommands: parts.flatMap(({ slashCommands = [] }) => slashCommands),
        contextSources: parts.flatMap(({ contextSources = [] }) => contextSources),
        checks: parts.flatMap(({ checks = [] }) => checks),
        observers: parts.flatMap(({ observers = [] }) => observers),
        problems: parts.flatMap(({ problems = [] }) => problems),
    };
}

export default register;
