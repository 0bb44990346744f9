import type { JsonObject, PlainTool } from "north-cli/plugin";
import { NorthError } from "north-cli/plugin";
import { publishedName, questionOf, type OfferedTool } from "./tool.js";
import { render, type ServerData, summaryOf, toToolResult } from "./tool-result.js";

/** Max tokens for a server's tools in each request. */
const MAX_TOKENS = 3_000;
const BYTES_PER_TOKEN = 4;
/** Max description length that North sends. */
const MAX_DESCRIPTION = 1_024;
const MAX_FOUND = 10;
const MAX_SCHEMA_BYTES = 20_000;

/** Whether a server's tools take up too much of each request. */
export function isDeferred(tools: readonly Pick<OfferedTool, "offer">[]): boolean {
    const bytes = tools.reduce((sum, { offer: { name, description, inputSchema } }) => {
        const sent = [name, description.slice(0, MAX_DESCRIPTION), inputSchema];
        return sum + JSON.stringify(sent).length;
    }, 0);
    return bytes > MAX_TOKENS * BYTES_PER_TOKEN;
}

interface FoundTool {
    readonly tool: string;
    readonly description: string;
    readonly inputSchema: object;
}

/** `find_tool` searches unlisted tools, `call_found_tool` calls one; none if all are listed. */
export function deferredTools(tools: readonly OfferedTool[]) {
    if (tools.length === 0) return [];
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    const servers = [...new Set(tools.map(({ definition }) => definition.name))];
    return [findTool(tools, servers), callFoundTool(byName)];
}

function findTool(
    tools: readonly OfferedTool[],
    servers: readonly string[]
): PlainTool<{ readonly query: string }, { readonly found: readonly FoundTool[] }> {
    const counted = tools.map((tool) => {
        const { name, offer } = tool;
        return { tool, text: `${name} ${offer.name} ${offer.description}`.toLowerCase() };
    });
    return {
        name: "find_tool",
        description:
            `Find tools of the MCP servers ${servers.join(", ").slice(0, 500)}, which are not listed here. ` +
            "Returns names and input schemas for call_found_tool.",
        approval: "none",
        readOnly: true,
        fromOutside: true,
        inputSchema: {
            type: "object",
            properties: {
                query: { type: "string", description: "Words from its name or description" },
            },
            required: ["query"],
            additionalProperties: false,
        },
        intent: ({ query }) => `Finding a tool for ${JSON.stringify(query.slice(0, 100))}`,
        summary: ({ found }) => `${found.length} found`,
        async execute({ query }) {
            const words =
                query
                    .toLowerCase()
                    .match(/[\p{L}\p{N}]+/gu)
                    ?.slice(0, 20) ?? [];
            const found = counted
                .map(({ tool, text }) => ({
                    tool,
                    score: words.reduce((sum, word) => {
                        if (!text.includes(word)) return sum;
                        return sum + (tool.name.toLowerCase().includes(word) ? 3 : 1);
                    }, 0),
                }))
                .filter(({ score }) => score > 0)
                .sort((one, other) => other.score - one.score)
                .slice(0, MAX_FOUND)
                .map(({ tool: { name, offer } }) => ({
                    tool: name,
                    description: offer.description.slice(0, MAX_DESCRIPTION),
                    inputSchema: offer.inputSchema,
                }));
            return { ok: true, data: { found: within(found) } };
        },
    };
}

/** Returns as many as fit, but always the best one. */
function within(found: readonly FoundTool[]): FoundTool[] {
    let bytes = 0;
    return found.filter((tool, index) => {
        bytes += JSON.stringify(tool).length;
        return index === 0 || bytes <= MAX_SCHEMA_BYTES;
    });
}

interface FoundCall {
    readonly tool: string;
    readonly input: JsonObject;
}

function callFoundTool(byName: ReadonlyMap<string, OfferedTool>): PlainTool<FoundCall, ServerData> {
    return {
        name: "call_found_tool",
        description: "Call a tool that find_tool has found.",
        // Asks by itself: whether approval is needed depends on the tool called.
        approval: "none",
        readOnly: false,
        fromOutside: true,
        inputSchema: {
            type: "object",
            properties: {
                tool: { type: "string" },
                input: { type: "object", description: "Matching its inputSchema" },
            },
            required: ["tool", "input"],
            additionalProperties: false,
        },
        target({ tool: name, input }) {
            return byName.has(name) ? { tool: name, input } : undefined;
        },
        equivalents({ tool: name, input }) {
            const tool = byName.get(name);
            return tool ? [{ tool: publishedName(tool), input }] : [];
        },
        intent: ({ tool, input }) => `Calling ${tool} ${JSON.stringify(input).slice(0, 100)}`,
        summary: summaryOf,
        render,
        async execute({ tool: name, input: given }, context) {
            const tool = byName.get(name);
            if (!tool) {
                throw new NorthError("unknown-tool", `There is no tool ${name.slice(0, 100)}.`, [
                    "Use a name from find_tool.",
                ]);
            }
            const { offer, server, isTrustedToRead } = tool;
            const checked = await context.checkInput({ ...offer.inputSchema }, given);
            if (!checked.ok) return checked;
            if (!isTrustedToRead && !(await context.permit(questionOf(tool, checked.input)))) {
                throw new NorthError("denied", "The call was not allowed; nothing ran.");
            }
            const result = await server.request(context.signal, (connection) =>
                connection.call(offer, checked.input, context)
            );
            return toToolResult(result);
        },
    };
}
