import type {
    AskTool,
    JsonObject,
    PlainTool,
    Question,
    ToolBase,
    ToolContext,
} from "north-cli/plugin";
import type { Definition } from "./definitions.js";
import { oneLine } from "./reason.js";
import type { Server } from "./server.js";
import type { ToolOffer } from "./stored.js";
import { digestOf } from "./tool-names.js";
import { render, type ServerData, summaryOf, toToolResult } from "./tool-result.js";

/** A server's tool and its permission. */
export interface OfferedTool {
    readonly name: string;
    readonly offer: ToolOffer;
    readonly definition: Definition;
    readonly server: Pick<Server, "request">;
    /** The server calls it read-only, and the user trusts that. */
    readonly isTrustedToRead: boolean;
}

type ServerTool = AskTool<unknown, ServerData> | PlainTool<unknown, ServerData>;

/** Converts a tool to North's: it asks, unless it is read-only and the user trusts that. */
export function toNorthTool({
    name,
    offer,
    definition,
    server,
    isTrustedToRead,
}: OfferedTool): ServerTool {
    const what = `${offer.name} of the MCP server ${definition.name}`;
    const shared: ToolBase<unknown, ServerData> & Pick<PlainTool<unknown, ServerData>, "execute"> =
        {
            name,
            description: offer.description.trim() || `The tool ${what}.`,
            inputSchema: offer.inputSchema,
            readOnly: isTrustedToRead,
            fromOutside: true,
            equivalents: (input) => [
                { tool: publishedName({ definition, offer }), input: input as JsonObject },
            ],
            intent: (input) => `Calling ${what} ${shown(input, 100)}`,
            summary: summaryOf,
            render,
            async execute(input: unknown, context: ToolContext) {
                const result = await server.request(context.signal, (connection) =>
                    connection.call(offer, input, context)
                );
                return toToolResult(result);
            },
        };
    if (isTrustedToRead) return { ...shared, approval: "none" };
    return {
        ...shared,
        approval: "ask",
        question: (input) => questionOf({ offer, definition }, input),
    };
}

/** How hooks written for Claude Code call it. */
export function publishedName({
    definition,
    offer,
}: Pick<OfferedTool, "definition" | "offer">): string {
    return `mcp__${definition.name}__${offer.name}`;
}

export function questionOf(
    { offer, definition }: Pick<OfferedTool, "offer" | "definition">,
    input: unknown
): Question {
    return {
        sentence: `Call ${offer.name} of the MCP server ${definition.name}?`,
        details: fieldsOf(input),
        // Permission is for this program, and for what it says that the tool does.
        key: `${definition.name}/${oneLine(offer.name, 100)}@${digestOf(definition.hash, JSON.stringify(offer)).slice(0, 16)}`,
    };
}

/** All fields of a call, short ones first, so that a long one pushes none out of sight. */
function fieldsOf(input: unknown): string {
    if (typeof input !== "object" || input === null) return JSON.stringify(input);
    return Object.entries(input)
        .map(
            ([name, value]) =>
                `${/^[\w.-]+$/.test(name) ? name : JSON.stringify(name)}: ${inLines(value)}`
        )
        .sort((one, other) => one.length - other.length)
        .join("\n");
}

/** Formats a value as JSON, but a text with one row per line. */
function inLines(value: unknown): string {
    if (typeof value !== "string") return JSON.stringify(value);
    return value
        .split("\n")
        .map((line) => JSON.stringify(line).slice(1, -1))
        .join("\\n\n  ")
        .replace(/^|$/g, '"');
}

function shown(input: unknown, limit: number): string {
    return oneLine(JSON.stringify(input), limit);
}
