// The minimum a coding assistant does: the vendor's SDK, one tool and a list of messages.
import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";

interface ReadFile {
    readonly path: string;
    readonly range: { readonly start: number; readonly end: number };
}

const client = new Anthropic();
const messages: Anthropic.MessageParam[] = [{ role: "user", content: "go" }];
const tools: Anthropic.Tool[] = [
    { name: "read_file", description: "Read a file.", input_schema: { type: "object" } },
];
for (;;) {
    const { content } = await client.messages
        .stream({ model: "claude-sonnet-5-5", max_tokens: 8_000, messages, tools })
        .finalMessage();
    const results = content.flatMap((block): Anthropic.ToolResultBlockParam[] =>
        block.type === "tool_use"
            ? [
                  {
                      type: "tool_result",
                      tool_use_id: block.id,
                      content: read(block.input as ReadFile),
                  },
              ]
            : []
    );
    if (results.length === 0) break;
    messages.push({ role: "assistant", content }, { role: "user", content: results });
}

function read({ path, range }: ReadFile): string {
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.slice(range.start - 1, range.end).join("\n");
}
