import { createHash } from "node:crypto";
import { firstRows } from "../../../base/format.js";
import { northCommand } from "../../../base/north-command.js";
import { alignColumns } from "../../../base/columns.js";
import type {
    JsonObject,
    JsonValue,
    Message,
    ModelEvent,
    ModelRequest,
    ToolResultPart,
} from "../../../plugin/index.js";
import { isJsonObject, parseInput } from "../../../provider-kit/tool-input.js";
import { type OfflineCall, commands, parse } from "./commands.js";

const MAX_LINES = 40;

interface OfflineReply {
    readonly text: string;
    readonly calls: readonly OfflineCall[];
}

/** Deterministic: the same request gets the same reply. */
export function* replyTo(request: ModelRequest): Generator<ModelEvent, void> {
    const { messages, system, tools, conversationId } = request;
    const prompt = JSON.stringify([conversationId, messages]);
    const hash = createHash("sha256").update(prompt).digest("hex").slice(0, 12);
    const { text, calls } = report(messages) ?? carryOut(messages.at(-1), request);
    // A few lines at a time, like a model's stream.
    for (const [piece] of text.matchAll(/(?<![^\n])(?:(?:[^\n]*\n){1,4}|[^\n]+$)/g)) {
        yield { type: "text", text: piece };
    }
    for (const [index, call] of calls.entries()) {
        const callId = `offline_${hash}_${index}`;
        yield { type: "tool-call-start", callId, name: call.name };
        yield { type: "tool-call", callId, ...call };
    }
    // Four characters per token: good enough to display a context that costs nothing. All of the
    // request counts, or it would look as if some of it had not been read.
    const read = system.length + JSON.stringify(tools).length + prompt.length;
    const inputTokens = Math.ceil(read / 4);
    const outputTokens = Math.ceil((text.length + JSON.stringify(calls).length) / 4);
    yield { type: "usage", usage: { inputTokens, outputTokens } };
    yield { type: "stop", reason: calls.length > 0 ? "tool-calls" : "end" };
}

function report(messages: readonly Message[]): OfflineReply | undefined {
    const [asking, results] = messages.slice(-2);
    if (asking?.role !== "assistant" || results?.role !== "tool") return undefined;
    const calls = asking.content.filter((part) => part.type === "tool-call");
    const texts = results.content.map((result) =>
        describe(
            result,
            calls.find(({ callId }) => callId === result.callId)
        )
    );
    return { text: texts.join("\n\n"), calls: [] };
}

function carryOut(message: Message | undefined, { tools }: ModelRequest): OfflineReply {
    const parts = message?.role === "user" ? message.content : [];
    const typed = parts.findLast((part) => part.type === "text")?.text ?? "";
    const lines = typed.split("\n").map((line) => line.trim());
    const found = lines.flatMap((line) => (line === "" ? [] : [{ line, ...parse(line) }]));
    const isOffered = (call: OfflineCall) => tools.some(({ name }) => name === call.name);
    const remarks = found.flatMap(({ command, call }) => {
        if (command === undefined || call === undefined || isOffered(call)) return [];
        return command.tool === undefined
            ? [`There is no tool ${quoted(call.name)} in this mode. \`north tools\` lists all.`]
            : [`${quoted(command.form)} is not available in ask mode. Switch with /mode agent.`];
    });
    const calls = found.flatMap(({ call }) => (call && isOffered(call) ? [call] : []));
    const needsHelp = calls.length < found.length || found.length === 0;
    return { text: [...remarks, ...(needsHelp ? [help()] : [])].join("\n\n"), calls };
}

function help(): string {
    const rows = commands.map(({ form, meaning }) => [`  ${form}`, meaning]);
    return [
        "This is North's offline mode, not a language model. I only know the commands below.",
        `For a model, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or run \`${northCommand()} login\`.`,
        "",
        ...alignColumns(rows),
        "",
        "One command per line. Quote names and text that contain spaces.",
    ].join("\n");
}

function describe(
    { content, isError }: ToolResultPart,
    { name, input }: OfflineCall = { name: "", input: {} }
): string {
    const { ok, data, error } = parseInput(content).input;
    const { command, query, pattern, path } = input;
    const named = textOf(command ?? query ?? pattern ?? path);
    const subject = name === "list_root" ? "The project" : quoted(named || name);
    const [language = ""] = /(?<=\w\.)[a-z]+$/.exec(textOf(path)) ?? [];
    const isText = !isError && ok === undefined;
    if (isText && name.startsWith("edit_")) return content.trim();
    if (isText) return `${subject}:\n${block(content.trimEnd().split("\n"), language)}`;
    if (ok !== true) {
        const { code, message, hint } = isJsonObject(error) ? error : {};
        const isRefused = code === "denied" || code === "rejected";
        const outcome = isRefused ? `${subject}: nothing was done.` : `${subject} failed.`;
        return [outcome, textOf(message), textOf(hint)].filter(Boolean).join(" ");
    }
    const fields = isJsonObject(data) ? data : {};
    const exit = fields.exitCode === undefined ? "" : ` ended with ${textOf(fields.exitCode)}`;
    const lines = linesIn(fields);
    if (lines.length === 0) return `${subject}${exit}: ${exit === "" ? "empty" : "no output"}.`;
    return `${subject}${exit}:\n${block(lines, language)}`;
}

function quoted(text: string): string {
    return `\`${text.replaceAll("`", "'")}\``;
}

/** Returns the first list in a tool's data, or its text. The setting `results` makes it JSON. */
function linesIn(data: JsonObject): readonly string[] {
    const list = Object.values(data).find((value) => Array.isArray(value));
    if (Array.isArray(list)) return list.map(lineOf);
    const texts = [data.content, data.stdout, data.stderr].filter((part) => part !== undefined);
    // A plugin's tool.
    if (texts.length === 0 && Object.keys(data).length > 0) {
        return JSON.stringify(data, undefined, 2).split("\n");
    }
    const text = texts.map((part) => textOf(part).trimEnd());
    return text.filter(Boolean).flatMap((part) => part.split("\n"));
}

function lineOf(item: JsonValue): string {
    if (!isJsonObject(item)) return textOf(item);
    const { name, type, path, line, preview, label, linesAdded, linesRemoved } = item;
    if (line !== undefined) {
        const place = [path, line].map(textOf).filter(Boolean).join(":");
        return `${place}  ${textOf(preview ?? item.signature ?? name).trim()}`;
    }
    if (name !== undefined) return `${textOf(name)}${type === "dir" ? "/" : ""}`;
    if (path === undefined) return label === undefined ? JSON.stringify(item) : textOf(label);
    if (linesAdded === undefined) return textOf(path);
    return `${textOf(path)} (+${textOf(linesAdded)} -${textOf(linesRemoved)})`;
}

/** Fences foreign text, so that Markdown shows it literally. */
function block(lines: readonly string[], language: string): string {
    const shown = firstRows(lines, MAX_LINES, (more) => `… and ${more} more`);
    const ticks = shown.join("\n").match(/`{3,}/g) ?? ["``"];
    const fence = "`".repeat(Math.max(...ticks.map(({ length }) => length)) + 1);
    return [`${fence}${language}`, ...shown, fence].join("\n");
}

function textOf(value: JsonValue | undefined): string {
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
