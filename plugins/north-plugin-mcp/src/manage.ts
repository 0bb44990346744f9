import { findDefinition, readDefinitions, type Definition } from "./definitions.js";
import { counted, oneLine, reasonOf, skippedText } from "./reason.js";
import { launchOf } from "./launch.js";
import { environmentOf, type McpFolders } from "./folders.js";
import { Server } from "./server.js";
import { openStore, type Offers, type Permission, type Store } from "./stored.js";

/** A server and its state after it was asked. */
interface ServerState {
    readonly name: string;
    readonly source: Definition["source"];
    /** The definition as written in the file. */
    readonly definition: object;
    readonly permission: Permission | undefined;
    readonly tools?: readonly { readonly name: string; readonly isReadOnly: boolean }[];
    readonly prompts?: readonly string[];
    /** Tools and prompts that North cannot use. */
    readonly skipped?: readonly string[];
    /** Why it has no tools. */
    readonly problem?: string;
}

interface Overview {
    readonly servers: readonly ServerState[];
    readonly problems: readonly string[];
}

/** Asks each server that may run what it offers, and stores the answers. */
export async function overviewOf(folders: McpFolders): Promise<Overview> {
    const { definitions, problems } = await readDefinitions(folders);
    const store = openStore(folders);
    const servers = await Promise.all(
        definitions.map((definition) => stateOf(definition, folders, store))
    );
    return { servers, problems };
}

async function stateOf(
    definition: Definition,
    folders: McpFolders,
    store: Store
): Promise<ServerState> {
    const { name, source, value } = definition;
    const permission = await store.permission(definition);
    const state = { name, source, definition: value, permission };
    if (permission === undefined) return state;
    try {
        const { tools, prompts, skipped } = await ask(definition, folders, store);
        return {
            ...state,
            tools: tools.map(({ name, isReadOnly }) => ({ name, isReadOnly })),
            prompts: prompts.map(({ name }) => name),
            ...(skipped && { skipped }),
        };
    } catch (error) {
        return { ...state, problem: reasonOf(error) };
    }
}

/** Revokes a server's permission. */
export async function denyServer(folders: McpFolders, name: string): Promise<string> {
    const definition = await findDefinition(folders, name);
    await openStore(folders).forget(definition);
    return definition.source === "repository"
        ? `${name} is denied. It stops when North next starts.`
        : `All tools of ${name} ask first. To stop it from running, remove it from ${folders.configFolder}/mcp.json.`;
}

/** Server names for completion. */
export async function serverNames(folders: McpFolders): Promise<readonly string[]> {
    return (await readDefinitions(folders)).definitions.map(({ name }) => name);
}

/** Formats the overview for people. */
export function overviewText({ servers, problems }: Overview): string {
    if (servers.length === 0 && problems.length === 0) {
        return "No MCP servers: neither .mcp.json in the repository nor mcp.json beside North's config.json names any.";
    }

    return [...servers.map(stateLines), ...problems].join("\n");
}

function stateLines(state: ServerState): string {
    const { name, source, definition, permission, tools, prompts = [], problem } = state;
    const where = { user: "yours", repository: "of this repository", editor: "of your editor" }[
        source
    ];
    const lines = [`${name} (${where})`, `  ${oneLine(JSON.stringify(definition), 1_000)}`];
    if (permission === undefined) {
        lines.push(`  not allowed to run; allow it with north mcp allow ${name}`);
    } else if (problem !== undefined) {
        lines.push(`  no tools: ${problem}`);
    } else {
        const names = tools?.map((tool) => {
            const isFree = tool.isReadOnly && permission.readOnlyTools;
            const name = oneLine(tool.name, 200);
            return isFree ? `${name} (reads without asking)` : name;
        });
        lines.push(listed("tool", names ?? []));
        const shown = prompts.map((prompt) => oneLine(prompt, 200));
        if (shown.length > 0) lines.push(listed("prompt", shown));
        if (state.skipped) lines.push(`  ${skippedText(state.skipped)}`);
    }
    return lines.join("\n");
}

const MAX_LISTED = 50;

function listed(noun: string, names: readonly string[]): string {
    const more = names.length - MAX_LISTED;
    const rest = more > 0 ? [`${more} more (all: north mcp --json)`] : [];
    const shown = [...names.slice(0, MAX_LISTED), ...rest].join(", ");
    return ["  " + counted(names.length, noun), shown].filter(Boolean).join(": ");
}

/** Starts a server to ask what it offers, and stores the answer. */
export async function ask(
    definition: Definition,
    folders: McpFolders,
    store: Store
): Promise<Offers> {
    const launch = launchOf(definition, environmentOf(folders));
    const server = new Server({ definition, launch, folders, store });
    try {
        return await server.learn();
    } finally {
        server.close();
    }
}
