import os from "node:os";
import { builtin } from "../builtin/index.js";
import { markdownCommands } from "../builtin/commands/markdown-commands.js";
import { compatibleProvidersFromConfig } from "../builtin/providers/compatible/config.js";
import { knownServers } from "../builtin/providers/compatible/known-servers.js";
import { skillsContribution } from "../builtin/skills/skills.js";
import type { Contribution, RegisterHook } from "../plugin/index.js";

/** Registers North's built-in plugin through the same hook as any other. */
const register: RegisterHook = async ({ settings, root, configFolder }) => {
    const { providers, problems } = compatibleProvidersFromConfig(settings);
    const configured = new Set(providers.map(({ id }) => id));
    const known = knownServers.filter(({ id }) => !configured.has(id));
    const skills = await skillsContribution({ root, configFolder, home: os.homedir() });
    const own = merged([
        builtin,
        { apiVersion: 1, providers: [...providers, ...known], problems },
        { apiVersion: 1, ...skills },
    ]);
    const taken = own.slashCommands.map(({ name }) => name);
    const slashCommands = await markdownCommands({ root, configFolder, taken });
    return merged([own, { apiVersion: 1, slashCommands }]);
};

function merged(parts: readonly Contribution[]): Required<Omit<Contribution, "close">> {
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
