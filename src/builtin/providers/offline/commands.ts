import type { JsonObject, ToolCallPart } from "../../../plugin/index.js";
import { parseInput } from "../../../provider-kit/tool-input.js";

export type OfflineCall = Pick<ToolCallPart, "name" | "input" | "malformedInput">;

/** A command of the offline model. Parser and help share this table. */
interface OfflineCommand {
    readonly form: string;
    readonly meaning: string;
    /** Named groups become the tool's input. */
    readonly pattern: RegExp;
    /** Absent if the line names the tool. */
    readonly tool?: string;
    readonly toInput?: (words: Readonly<Record<string, string>>) => JsonObject;
}

/** A word, or quoted text with backslash escapes. */
const WORD = `(?:"(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|[^\\s"']\\S*)`;

function line(source: string): RegExp {
    return new RegExp(`^${source.replaceAll(" ", " +").replaceAll("WORD", WORD)}$`, "iu");
}

export const commands: readonly OfflineCommand[] = [
    {
        form: "list files",
        meaning: "what is in the project",
        pattern: line("(?:list|ls)(?: files)?"),
        tool: "list_root",
    },
    {
        form: "list files in FOLDER",
        meaning: "what is in a folder",
        pattern: line("(?:list|ls)(?: files)? in (?<path>WORD)"),
        tool: "list_folder",
    },
    {
        form: "find PATTERN",
        meaning: "files by name, such as `*.ts` or `src/**/index.*`",
        pattern: line("find (?<pattern>WORD)"),
        tool: "find_files",
    },
    {
        form: "search TEXT [in PATH]",
        meaning: "lines that contain a text",
        pattern: line(
            "search (?<query>WORD)(?: in (?:(?<file>\\S*[^\\s/.]\\.\\w+)|(?<path>WORD)))?"
        ),
        tool: "search_text",
    },
    {
        form: "read FILE [10-40]",
        meaning: "a file, or some of its lines",
        pattern: line("read (?<path>WORD)(?: (?<start>\\d{1,9})(?:-(?<end>\\d{1,9}))?)?"),
        tool: "read_file",
        toInput: ({ path = "", start, end = start }) => ({
            path,
            ...(start ? { range: { start: Number(start), end: Number(end) } } : {}),
        }),
    },
    {
        form: 'replace "OLD" with "NEW" in FILE',
        meaning: "exact text that occurs once in the file",
        pattern: line("replace (?<old>WORD) with (?<new>WORD) in (?<path>WORD)"),
        tool: "edit_replace_exact",
    },
    {
        form: 'create FILE with "TEXT"',
        meaning: "a new file",
        pattern: line("create (?<path>WORD) with (?<content>WORD)"),
        tool: "edit_create_file",
    },
    {
        form: "run COMMAND",
        meaning: "a shell command",
        pattern: line("run (?<command>.+)"),
        tool: "shell_run",
    },
    {
        form: 'call TOOL {"FIELD": "VALUE"}',
        meaning: "any tool by name, even a plugin's, with its input as JSON",
        pattern: line("call (?<tool>\\S+)(?: (?<json>\\{.*))?"),
    },
];

/** Parses a line into a command and its call; `undefined` if it matches none. */
export function parse(text: string): { command: OfflineCommand; call: OfflineCall } | undefined {
    for (const command of commands) {
        const match = command.pattern.exec(text);
        if (match === null) continue;
        if (command.tool === undefined) {
            const { tool = "", json = "" } = match.groups ?? {};
            return { command, call: { name: tool, ...parseInput(json) } };
        }
        const words = Object.entries(match.groups ?? {}).flatMap(([name, word]) =>
            word ? [[name, name === "command" ? word : unquoted(word)]] : []
        );
        const input = Object.fromEntries(words);
        return { command, call: { name: command.tool, input: command.toInput?.(input) ?? input } };
    }
    return undefined;
}

/** Strips quotes and resolves escapes such as `\n` and `\t`. */
function unquoted(word: string): string {
    if (!/^["']/.test(word)) return word;
    const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t" };
    return word
        .slice(1, -1)
        .replace(/\\(.)/gu, (_escape, character: string) => escapes[character] ?? character);
}
