import type { McpServer } from "@agentclientprotocol/sdk";
import type { McpServers } from "../plugin/index.js";

/** The editor's servers in the plugin's format, and the names of unsupported ones. */
export function offeredServers(given: readonly McpServer[] = []) {
    const known = given.flatMap((server): [string, McpServers[string]][] => {
        const { name } = server;
        if ("command" in server) {
            const { command, args, env } = server;
            return [[name, { command, args, env: valuesOf(env) }]];
        }
        if (!("type" in server) || server.type !== "http") return [];
        return [[name, { type: "http", url: server.url, headers: valuesOf(server.headers) }]];
    });
    const servers: McpServers = Object.fromEntries(known);
    const unknown = given.flatMap(({ name }) => (Object.hasOwn(servers, name) ? [] : name));
    return { servers, unknown };
}

function valuesOf(pairs: readonly { readonly name: string; readonly value: string }[]) {
    return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
