import type { JsonObject } from "../../../plugin/index.js";
import { describeChange, describeOutput } from "./describe-changes.js";
import {
    describeEntries,
    describeFiles,
    describeHotFiles,
    describeLanguages,
    describeMatches,
    describeText,
} from "./describe-readings.js";

/** The inputs of a call as they were asked for, to speak of it later. */
export type Input = JsonObject;

/** One thing the offline model understands. The parser, the help and the answers read this. */
export interface Command {
    /** As the help shows it. */
    readonly form: string;
    readonly meaning: string;
    /** Anchored at the start by the parser; ends at the end of a line. */
    readonly pattern: RegExp;
    readonly tool: string;
    readonly toInput: (groups: Readonly<Record<string, string | undefined>>) => Input;
    /** What came back, in a few lines. */
    readonly describe: (data: unknown, input: Input) => string;
}

/** `"…"` or `'…'`, over several lines if need be; a backslash keeps the next character. */
const QUOTED = `"(?:[^"\\\\]|\\\\[^])*"|'(?:[^'\\\\]|\\\\[^])*'`;
/** A name with spaces in it has to be quoted. */
const WORD = `(?:${QUOTED}|[^\\s"']\\S*)`;
const END = "[ \\t]*(?:\\r?\\n|$)";

function line(source: string): RegExp {
    return new RegExp(`${source}${END}`, "iuy");
}

export const commands: readonly Command[] = [
    {
        form: "list files [in FOLDER]",
        meaning: "what is in the project, or in one folder",
        pattern: line(
            `(?:list|ls)(?: +(?:the +)?files)? +(?:in +)?(?!files[ \\t]*(?:\\r?\\n|$))(?<path>${WORD})`
        ),
        tool: "list_folder",
        toInput: ({ path }) => ({ path: unquoted(path) }),
        describe: describeEntries,
    },
    {
        form: "list files",
        meaning: "",
        pattern: line("(?:list|ls)(?: +(?:the +)?files)?"),
        tool: "list_root",
        toInput: () => ({}),
        describe: describeEntries,
    },
    {
        form: "find PATTERN",
        meaning: "files by name, such as `*.ts` or `src/**/index.*`",
        pattern: line(`find +(?<pattern>${WORD})`),
        tool: "find_files",
        toInput: ({ pattern }) => ({ pattern: unquoted(pattern) }),
        describe: describeFiles,
    },
    {
        form: "search TEXT [in PATH]",
        meaning: "lines that hold a text; quote it if it has spaces",
        pattern: line(`(?:search|grep)(?: +for)? +(?<query>${WORD})(?: +in +(?<path>${WORD}))?`),
        tool: "search_text",
        toInput: ({ query, path }) => ({ query: unquoted(query), ...toPlace(unquoted(path)) }),
        describe: describeMatches,
    },
    {
        form: "read FILE [10-40]",
        meaning: "a file, or some of its lines",
        pattern: line(
            `(?:read|show|cat) +(?<path>${WORD})` +
                "(?: +(?:lines? +)?(?<start>\\d{1,9})(?: *(?:-|to) *(?<end>\\d{1,9}))?)?"
        ),
        tool: "read_file",
        toInput: ({ path, start, end }) => ({
            path: unquoted(path),
            ...(start === undefined
                ? {}
                : { range: { start: Number(start), end: Number(end ?? start) } }),
        }),
        describe: describeText,
    },
    {
        form: 'replace "OLD" with "NEW" in FILE',
        meaning: "an exact text that is in the file once",
        pattern: line(`replace +(?<old>${WORD}) +with +(?<new>${WORD}) +in +(?<path>${WORD})`),
        tool: "edit_replace_exact",
        toInput: ({ old, new: fresh, path }) => ({
            path: unquoted(path),
            old: unquoted(old),
            new: unquoted(fresh),
        }),
        describe: describeChange,
    },
    {
        form: "create FILE with TEXT",
        meaning: "a new file; quote the text, or let it go on to the end of the message",
        pattern: new RegExp(
            `create +(?<path>${WORD}) +with(?:[ \\t]*\\r?\\n|[ \\t]+)` +
                `(?:(?<quoted>${QUOTED})${END}|(?<content>[^]*))`,
            "iuy"
        ),
        tool: "edit_create_file",
        toInput: ({ path, quoted, content }) => ({
            path: unquoted(path),
            content: quoted === undefined ? (content ?? "") : unquoted(quoted),
        }),
        describe: describeChange,
    },
    {
        form: "run COMMAND",
        meaning: "a shell command",
        pattern: line("(?:run +|[$!] *)(?<command>\\S[^\\r\\n]*)"),
        tool: "shell_run",
        toInput: ({ command }) => ({ command: (command ?? "").trim() }),
        describe: describeOutput,
    },
    {
        form: "languages",
        meaning: "what the project is written in",
        pattern: line("(?:detect +)?languages"),
        tool: "detect_languages",
        toInput: () => ({}),
        describe: describeLanguages,
    },
    {
        form: "hot files",
        meaning: "the files that change most",
        pattern: line("hot *files"),
        tool: "hotfiles",
        toInput: () => ({}),
        describe: describeHotFiles,
    },
];

/** What asks for the help. */
export const helpPattern = line("(?:help|\\?)");

/** Without its quotes; `\n` and `\t` mean what they mean in code. */
function unquoted(word = ""): string {
    if (!/^["']/.test(word)) return word;
    return word.slice(1, -1).replace(/\\([^])/g, (_escape, character: string) => {
        if (character === "n") return "\n";
        return character === "t" ? "\t" : character;
    });
}

/** A name with an extension is a file. The whole project needs no path. */
function toPlace(path: string): Input {
    if (path === "" || path === "." || path === "./") return {};
    return /[^/.][^/]*\.[^/.]+$/.test(path) ? { file: path } : { path };
}
