import type { ToolMessage, ToolResultPart } from "../../../plugin/index.js";
import { quoted, fieldsOf, textOf } from "./data.js";
import { commands, type Input } from "./grammar.js";

/** What it is and is not, and how to get a model. */
const NOT_A_MODEL =
    "I am North's offline mode and not a language model: I only carry out the commands below. " +
    "For a model, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or run `north login`.";

/** The help, from the same table that the parser reads. */
export function helpText(): string {
    const shown = commands.filter(({ meaning }) => meaning !== "");
    const width = Math.max(...shown.map(({ form }) => form.length));
    return [
        NOT_A_MODEL,
        "",
        ...shown.map(({ form, meaning }) => `  ${form.padEnd(width)}  ${meaning}`),
        `  ${"help".padEnd(width)}  this list`,
        "",
        "One command a line; several lines are carried out together.",
    ].join("\n");
}

export function notUnderstood(line: string): string {
    const shown = line.length > 80 ? `${line.slice(0, 80)}…` : line;
    return `I do not understand ${quoted(shown)}.`;
}

export function notAvailable(form: string): string {
    return `${quoted(form)} is not available here: in ask mode nothing is changed or run. Switch with /mode agent.`;
}

/** What the calls brought, in their order. */
export function answerTo(results: ToolMessage, inputs: ReadonlyMap<string, Input>): string {
    return results.content
        .map((part) => describe(part, inputs.get(part.callId) ?? {}))
        .join("\n\n");
}

function describe(part: ToolResultPart, input: Input): string {
    const { ok, data, error } = fieldsOf(parsed(part.content));
    if (ok !== true) return describeError(part.name, fieldsOf(error), input);
    const command = commands.find(({ tool }) => tool === part.name);
    return command === undefined ? part.content : command.describe(data, input);
}

function describeError(
    tool: string,
    { code, message, hint }: Readonly<Record<string, unknown>>,
    input: Input
): string {
    const what = quoted(
        textOf(input.command) || textOf(input.path) || textOf(input.pattern) || tool
    );
    const said = [message, hint].map(textOf).filter((text) => text !== "");
    if (code === "denied" || code === "rejected") {
        return [`Nothing was done for ${what}.`, ...said].join(" ");
    }

    return [`${what} failed.`, ...said].join(" ");
}

function parsed(content: string): unknown {
    try {
        return JSON.parse(content);
    } catch {
        return undefined;
    }
}
