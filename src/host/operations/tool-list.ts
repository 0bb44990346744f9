import type { Config } from "@oclif/core";
import { loadRegistry } from "../project/load-plugins.js";
import { table } from "../table.js";
import { OWN_PLUGIN, type Registry } from "../../core/registry/registry.js";
import { readGuidance } from "../../workspace/context/read-guidance.js";
import { findRoot } from "../../workspace/find-root.js";
import { openWorkspace } from "../../workspace/open-workspace.js";
import { messageOf } from "../../base/system-error.js";

/** Everything that plugins contribute, by whom, and what was left out and why. */
export async function listTools(config: Config) {
    const { root } = await findRoot(process.cwd());
    const registry = await loadRegistry(config, { root });
    const { tools, providers, slashCommands } = registry;
    const { agents, problems } = await listAgents(root, registry);
    return {
        tools: [...tools.values()].map(({ plugin, value }) => {
            const { name, approval, readOnly, description } = value;
            return { name, plugin, approval, readOnly, description };
        }),
        providers: [...providers.values()].map(({ plugin, value }) => {
            const { id, displayName, models, keyVariable } = value;
            const signsIn = value.signIn !== undefined;
            return { id, plugin, displayName, models: models.length, keyVariable, signsIn };
        }),
        slashCommands: [...slashCommands.values()].map(({ plugin, value }) => {
            const { name, usage, description, origin } = value;
            return { name, plugin, usage, description, origin };
        }),
        agents,
        problems: [...registry.problems, ...problems],
    };
}

async function listAgents(root: string, { tools, agentLists }: Registry) {
    const workspace = openWorkspace({ root });
    const pluginTools = [...tools].flatMap(([name, { plugin }]) =>
        plugin === OWN_PLUGIN ? [] : [name]
    );
    const problems: string[] = [];
    const guidance = (path: string, maxBytes: number) =>
        readGuidance({ workspace }, path, maxBytes);
    const lists = agentLists.map(async ({ plugin, value }) => {
        try {
            const { agents, problems: skipped } = await value({ workspace, guidance, pluginTools });
            problems.push(...skipped.map((problem) => `Agent skipped: ${problem}`));
            return agents.map((agent) => ({ ...agent, plugin }));
        } catch (error) {
            problems.push(`The plugin ${plugin}: its agents are not listed: ${messageOf(error)}`);
            return [];
        }
    });
    return { agents: (await Promise.all(lists)).flat(), problems };
}

type ToolList = Awaited<ReturnType<typeof listTools>>;

export function toolTables({ tools, providers, slashCommands, agents }: ToolList): string {
    const toolRows = tools.map(({ name, approval, readOnly, plugin }) => [
        name,
        approval,
        readOnly ? "yes" : "no",
        plugin,
    ]);
    const providerRows = providers.map(({ id, models, keyVariable, signsIn, plugin }) => [
        id,
        String(models),
        keyVariable ?? (signsIn ? "a sign-in" : "none"),
        plugin,
    ]);
    const commandRows = slashCommands.map(({ usage, description, plugin }) => [
        usage,
        description,
        plugin,
    ]);
    const agentRows = agents.map(({ name, file, model = "", ignored }) => [
        name,
        file,
        model,
        ignored.join("; "),
    ]);
    return [
        table(["Tool", "Approval", "Read-only", "Plugin"], toolRows),
        table(["Provider", "Models", "Key", "Plugin"], providerRows),
        table(["Command", "What it does", "Plugin"], commandRows),
        table(["Agent", "File", "Model", "Ignored"], agentRows),
    ]
        .filter((text) => text !== "")
        .join("\n\n");
}

export async function listMarkdownCommands(config: Config) {
    const { slashCommands } = await listTools(config);
    return slashCommands.flatMap(({ name, usage, description, origin }) =>
        origin === undefined ? [] : [{ name, usage, description, origin }]
    );
}

export function markdownCommandTable(
    commands: Awaited<ReturnType<typeof listMarkdownCommands>>
): string {
    const rows = commands.map(({ usage, description, origin }) => [usage, description, origin]);
    return table(["Command", "What it does", "File"], rows);
}
