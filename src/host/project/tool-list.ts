import type { Config } from "@oclif/core";
import type { Registry } from "../../core/registry/registry.js";
import type { Tool } from "../../plugin/index.js";
import { loadRegistry } from "./load-plugins.js";
import { table } from "../table.js";
import { findRoot } from "../../workspace/find-root.js";

/** Everything the plugins brought, and who brought it. */
export interface ToolList {
    readonly tools: readonly {
        readonly name: string;
        readonly plugin: string;
        readonly approval: Tool["approval"];
        readonly readOnly: boolean;
        readonly description: string;
    }[];
    readonly providers: readonly {
        readonly id: string;
        readonly plugin: string;
        readonly displayName: string;
        readonly models: number;
        readonly keyVariable?: string;
    }[];
    readonly slashCommands: readonly {
        readonly name: string;
        readonly plugin: string;
        readonly usage: string;
        readonly description: string;
        /** The file of a Markdown command. */
        readonly origin?: string;
    }[];
    /** What was left out and why, one line each. */
    readonly problems: readonly string[];
}

/** Asks every plugin what it brings. */
export async function listTools(config: Config): Promise<ToolList> {
    const { root } = await findRoot(process.cwd());
    return toToolList(await loadRegistry(config, { root }));
}

function toToolList({ tools, providers, slashCommands, problems }: Registry): ToolList {
    return {
        tools: [...tools.values()].map(({ plugin, value }) => {
            const { name, approval, readOnly, description } = value;
            return { name, plugin, approval, readOnly, description };
        }),
        providers: [...providers.values()].map(({ plugin, value }) => {
            const { id, displayName, models, keyVariable } = value;
            const key = keyVariable === undefined ? {} : { keyVariable };
            return { id, plugin, displayName, models: models.length, ...key };
        }),
        slashCommands: [...slashCommands.values()].map(({ plugin, value }) => {
            const { name, usage, description, origin } = value;
            const from = origin === undefined ? {} : { origin };
            return { name, plugin, usage, description, ...from };
        }),
        problems,
    };
}

/** The list for a reader: a table for each kind. */
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
        table(columns("Tool", "Approval", "Read-only", "Plugin"), toolRows),
        table(columns("Provider", "Models", "Key", "Plugin"), providerRows),
        table(columns("Command", "What it does", "Plugin"), commandRows),
    ]
        .filter((text) => text !== "")
        .join("\n\n");
}

/** The commands that are Markdown files. */
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
    return table(columns("Command", "What it does", "File"), rows);
}

function columns(...headings: readonly string[]) {
    return headings.map((heading) => ({ heading }));
}
