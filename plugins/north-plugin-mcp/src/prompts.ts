import type { SlashCommand } from "north-cli/plugin";
import { NorthError } from "north-cli/plugin";
import { oneLine } from "./reason.js";
import type { Server } from "./server.js";
import type { PromptOffer } from "./stored.js";
import { toToolResult } from "./tool-result.js";

/** Offers a server's prompts as slash commands, `/server-prompt`. */
export function promptCommands(
    serverName: string,
    prompts: readonly PromptOffer[],
    server: Pick<Server, "request">
): SlashCommand[] {
    return prompts.flatMap((prompt) => {
        const name = plainName(`${serverName}-${prompt.name}`);
        return name === "" ? [] : [promptCommand(name, serverName, prompt, server)];
    });
}

function plainName(text: string): string {
    return text
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-|-$/g, "");
}

function promptCommand(
    name: string,
    serverName: string,
    prompt: PromptOffer,
    server: Pick<Server, "request">
): SlashCommand {
    const fields = prompt.arguments.map((field) => {
        const shown = oneLine(field.name, 40);
        return field.isRequired ? shown : `[${shown}]`;
    });
    const usage = [`/${name}`, ...fields].join(" ");
    const about = oneLine(prompt.description, 150) || oneLine(prompt.name, 100);
    return {
        name,
        description: `${about} (MCP server ${serverName})`,
        usage,
        async run(argumentsText, context) {
            const values = valuesOf(argumentsText, prompt, usage);
            let text = "";
            await context.screen.during(`Asking ${serverName}`, async (signal) => {
                const { ask } = context.screen;
                const { messages } = await server.request(signal, (connection) =>
                    connection.prompt(prompt.name, values, { signal, ask })
                );
                text = messages.map(({ role, content }) => lineOf(role, content)).join("\n\n");
                if (text !== "") return;
                const message = `The prompt ${oneLine(prompt.name, 100)} of ${serverName} is empty.`;
                throw new NorthError("empty-prompt", message, [`Check its arguments: ${usage}`]);
            });
            if (text === "") return;
            const origin = `${serverName}: ${oneLine(prompt.name, 100)}`;
            await context.send({
                text: `Follow the prompt ${origin} of my MCP server. ${argumentsText}`.trim(),
                context: [{ kind: "mcp", id: `prompt ${origin}`, text, origin, fromOutside: true }],
            });
        },
    };
}

function lineOf(role: string, content: Parameters<typeof toToolResult>[0]["content"][number]) {
    const result = toToolResult({ content: [content] });
    if (!result.ok) return "";
    const { text, resources, leftOut, media } = result.data;
    const rest = [...(resources ?? []), ...(media ?? []), ...(leftOut ?? [])];
    return [`${role}: ${text ?? ""}`, ...rest.map((part) => JSON.stringify(part))].join("\n");
}

/** Assigns words to arguments in order; the last one gets the rest of the line. */
function valuesOf(
    argumentsText: string,
    { arguments: fields }: PromptOffer,
    usage: string
): Record<string, string> {
    const words = argumentsText.split(/\s+/).filter((word) => word !== "");
    const last = fields.length - 1;
    const values = fields.map((field, index) => {
        const value = index === last ? words.slice(index).join(" ") : (words[index] ?? "");
        if (value === "" && field.isRequired) {
            const message = `${oneLine(field.name, 40)} is missing.`;
            throw new NorthError("invalid-input", message, [`Usage: ${usage}`]);
        }
        return [field.name, value] as const;
    });
    return Object.fromEntries(values.filter(([, value]) => value !== ""));
}
