import type { JsonObject, JsonValue, ToolResultPart } from "../../../plugin/index.js";
import { isJsonObject, parseInput } from "../../../provider-kit/tool-input.js";

const MAX_LINES = 40;

/** What a call brought, in a few lines of Markdown. */
export function describe({ content }: ToolResultPart, input: JsonObject): string {
    const { ok, data, error } = parseInput(content).input;
    const { command, query, pattern, path } = input;
    const named = textOf(command ?? query ?? pattern ?? path);
    const subject = named === "" ? "The project" : quoted(named);
    if (ok !== true) {
        const { code, message, hint } = isJsonObject(error) ? error : {};
        const isRefused = code === "denied" || code === "rejected";
        const outcome = isRefused ? `Nothing was done for ${subject}.` : `${subject} failed.`;
        return [outcome, textOf(message), textOf(hint)].filter(Boolean).join(" ");
    }
    const fields = isJsonObject(data) ? data : {};
    const exit = fields.exitCode === undefined ? "" : ` ended with ${textOf(fields.exitCode)}`;
    const lines = linesIn(fields);
    if (lines.length === 0) return `${subject}${exit}: nothing.`;
    const [language = ""] = /(?<=\w\.)[a-z]+$/.exec(textOf(path)) ?? [];
    return `${subject}${exit}:\n${block(lines, language)}`;
}

/** A name or a command within a line of Markdown. */
export function quoted(text: string): string {
    return `\`${text.replaceAll("`", "'")}\``;
}

/** The first list of a tool's data, or its text. */
function linesIn(data: JsonObject): readonly string[] {
    const list = Object.values(data).find((value) => Array.isArray(value));
    if (Array.isArray(list)) return list.map(lineOf);
    const text = [data.content, data.stdout, data.stderr].map((part) => textOf(part).trimEnd());
    return text.filter(Boolean).flatMap((part) => part.split("\n"));
}

/** A path, a folder's entry, a match, or a changed file. */
function lineOf(item: JsonValue): string {
    if (!isJsonObject(item)) return textOf(item);
    const { name, type, path, line, preview, linesAdded, linesRemoved } = item;
    if (line !== undefined) return `${textOf(path)}:${textOf(line)}  ${textOf(preview).trim()}`;
    if (name !== undefined) return `${textOf(name)}${type === "dir" ? "/" : ""}`;
    return `${textOf(path)} (+${textOf(linesAdded)} -${textOf(linesRemoved)})`;
}

/** Text of others, fenced so that Markdown shows each of its characters. */
function block(lines: readonly string[], language: string): string {
    const left = lines.length - MAX_LINES;
    const shown = [...lines.slice(0, MAX_LINES), ...(left > 0 ? [`… and ${left} more`] : [])];
    const ticks = shown.join("\n").match(/`{3,}/g) ?? ["``"];
    const fence = "`".repeat(Math.max(...ticks.map(({ length }) => length)) + 1);
    return [`${fence}${language}`, ...shown, fence].join("\n");
}

function textOf(value: JsonValue | undefined): string {
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
