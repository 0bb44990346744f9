import { alignColumns } from "../../base/columns.js";
import type { SlashCommand } from "../../plugin/index.js";

type Keys = readonly (readonly [keys: string, meaning: string])[];

const KEYS: Keys = [
    ["Ctrl+J, Alt+Enter", "new line"],
    ["/", "find a command; Tab or Enter accepts it"],
    ["Tab", "complete; on an empty line, switch between ask, plan, draft and agent"],
    ["Shift+Tab", "switch between ask, plan, draft and agent"],
    ["Up, Down", "earlier messages; Up edits a queued one"],
    ["Ctrl+R", "search earlier messages"],
    ["Ctrl+G", "edit the message in $EDITOR"],
    ["Ctrl+V", "paste an image"],
    ["Ctrl+A, E, W, U, K, Y, _, Alt+B, F, D", "edit as in readline"],
    ["Esc", "cancel what is running; close a list of completions"],
];

/** A terminal that edits lines itself has no others. */
const LINE_KEYS: Keys = [
    ["Enter", "send"],
    ["\\ at the end", "new line"],
    ["@", "attach a file"],
    ["!command", "run a command yourself; the model sees its output"],
    ["Ctrl+C", "cancel what is running"],
    ["Ctrl+Z", "suspend; fg in the shell continues"],
    ["Ctrl+C twice, Ctrl+D", "quit"],
];

/** By what they are for. Other commands come from plugins and Markdown files. */
const GROUPS: readonly (readonly [title: string, names: readonly string[]])[] = [
    ["North", ["learn", "memory", "skills", "agents", "logout", "clear", "help", "quit", "exit"]],
    ["Costs and context", ["costs", "usage", "context"]],
    ["Approvals and commands", ["auto", "allowlist", "contain", "trust", "jobs"]],
    [
        "Conversation",
        [
            ...["new", "resume", "conversations", "fork", "rewind", "name"],
            ...["expand", "copy", "export", "summarize"],
        ],
    ],
    ["Files", ["undo", "turns", "drop", "shrink", "rescue", "worktree"]],
    [
        "Task",
        ["mode", "plan", "draft", "btw", "review", "until", "race", "model", "thinking", "skill"],
    ],
];

export const help: SlashCommand = {
    name: "help",
    description: "List the commands and keys.",
    usage: "/help",
    onlyShows: true,
    onlyInTerminal: true,
    async run(_argumentsText, { commands, pluginTools, screen }) {
        const tools = pluginTools.map(({ name, plugin }) => [name, plugin] as const);
        // What comes last stays on the screen.
        const sections = [
            ["Plugin tools", ...table(tools)],
            ...commandSections(commands),
            ["Keys", ...table(screen.isLineTerminal ? LINE_KEYS : [...LINE_KEYS, ...KEYS])],
        ];
        const shown = sections.filter(({ length }) => length > 1);
        screen.print(shown.map((lines) => lines.join("\n")).join("\n\n"));
    },
};

/** A title each, then its commands, all with the same columns. */
function commandSections(commands: readonly SlashCommand[]): string[][] {
    const grouped = new Set(GROUPS.flatMap(([, names]) => names));
    const names = commands.map(({ name }) => name).sort();
    const others = names.filter((name) => !grouped.has(name));
    const groups = [["From plugins and Markdown files", others] as const, ...GROUPS];
    const order = groups.flatMap(([, known]) => known).filter((name) => names.includes(name));
    const rows = order.flatMap((name) => commands.find((command) => command.name === name) ?? []);
    const lines = table(
        rows.map(({ usage, description, origin }) => [
            usage,
            description + (origin === undefined ? "" : ` (${origin})`),
        ])
    );
    return groups.map(([title, known]) => [
        title,
        ...lines.filter((_, index) => known.includes(order[index] ?? "")),
    ]);
}

/** Longer cells get a line of their own, so that the second column fits into 80 columns. */
const WIDEST_FIRST = 20;

function table(rows: Keys): string[] {
    const isWide = (first: string): boolean => first.length > WIDEST_FIRST;
    const lines = alignColumns(
        rows.map(([first, second]) => [isWide(first) ? "" : `  ${first}`, second])
    );
    return rows.map(([first], index) => {
        const line = lines[index] ?? "";
        return isWide(first) ? `  ${first}\n${line}` : line;
    });
}
