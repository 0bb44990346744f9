import type { Config } from "@oclif/core";
import { loadRegistry } from "../project/load-plugins.js";
import { table } from "../table.js";
import { findRoot } from "../../workspace/find-root.js";

/** Everything that plugins contribute, by whom, and what was left out and why. */
export async function listTools(config: Config) {
    const { root } = await findRoot(process.cwd());
    const { tools, providers, slashCommands, problems } = await loadRegistry(config, { root });
    return {
        tools: [...tools.values()].map(({ plugin, value }) => {
            const { name, approval, readOnly, description } = value;
            return { name, plugin, approval, readOnly, description };
        }),
        providers: [...providers.values()].map(({ plugin, value }) => {
            const { id, displayName, models, keyVariable } = value;
            return { id, plugin, displayName, models: models.length, keyVariable };
        }),
        slashCommands: [...slashCommands.values()].map(({ plugin, value }) => {
            const { name, usage, description, origin } = value;
            return { name, plugin, usage, description, origin };
        }),
        problems,
    };
}

type ToolList = Awaited<ReturnType<typeof listTools>>;

export function toolTables({ tools, providers, slashCommands }: ToolList): string {
    const toolRows = tools.map(({ name, approval, readOnly, plugin }) => [
        name,
        approval,
        readOnly ? "yes" : "no",
        plugin,
    ]);
    const providerRows = providers.map(({ id, models, keyVariable, plugin }) => [
        id,
        String(models),
        keyVariable ?? "none",
        plugin,
    ]);
    const commandRows = slashCommands.map(({ usage, description, plugin }) => [
        usage,
        description,
        plugin,
    ]);
    return [
        table(["Tool", "Approval", "Read-only", "Plugin"], toolRows),
        table(["Provider", "Models", "Key", "Plugin"], providerRows),
        table(["Command", "What it does", "Plugin"], commandRows),
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
