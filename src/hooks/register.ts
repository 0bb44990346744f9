import os from "node:os";
import { builtin } from "../builtin/index.js";
import { compatibleProvidersFromConfig } from "../builtin/providers/compatible/config.js";
import { skillsContribution } from "../builtin/skills/skills.js";
import type { Contribution, RegisterHook } from "../plugin/index.js";

/** North's first-party plugin comes through the same hook as any other. */
const register: RegisterHook = async ({ settings, root, configFolder }) => {
    const { providers, problems } = compatibleProvidersFromConfig(settings);
    const skills = await skillsContribution({ root, configFolder, home: os.homedir() });
    return merged([builtin, { apiVersion: 1, providers, problems }, { apiVersion: 1, ...skills }]);
};

function merged(parts: readonly Contribution[]): Contribution {
    return {
        apiVersion: 1,
        tools: parts.flatMap(({ tools = [] }) => tools),
        providers: parts.flatMap(({ providers = [] }) => providers),
        slashCommands: parts.flatMap(({ slashCommands = [] }) => slashCommands),
        contextSources: parts.flatMap(({ contextSources = [] }) => contextSources),
        problems: parts.flatMap(({ problems = [] }) => problems),
    };
}

export default register;
