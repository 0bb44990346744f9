import { alignColumns } from "../../base/columns.js";
import type { SlashCommand } from "../../plugin/index.js";

const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
    ["Enter", "send"],
    ["Ctrl+J, Alt+Enter, \\ at the end", "new line"],
    ["/", "find a command; Tab or Enter accepts it"],
    ["@", "attach a file; Esc keeps the text"],
    ["!command", "run a command yourself; the model sees its output"],
    ["Tab", "complete; on an empty line, switch between ask, plan, draft and agent"],
    ["Shift+Tab", "switch between ask, plan, draft and agent"],
    ["Up, Down", "earlier messages; Up edits a queued one"],
    ["Ctrl+R", "search earlier messages"],
    ["Ctrl+G", "edit the message in $EDITOR"],
    ["Ctrl+V", "paste an image"],
    ["Ctrl+A, E, W, U, K, Y, _, Alt+B, F, D", "edit as in readline"],
    ["Ctrl+C, Esc", "cancel what is running"],
    ["Ctrl+Z", "suspend; fg in the shell continues"],
    ["Ctrl+C twice, Ctrl+D", "quit"],
];

export const help: SlashCommand = {
    name: "help",
    description: "List the commands and keys.",
    usage: "/help",
    onlyShows: true,
    onlyInTerminal: true,
    async run(_argumentsText, context) {
        const commands = [...context.commands]
            .sort((a, b) => a.name.localeCompare(b.name))
            .map(({ usage, description, origin }) => {
                const from = origin === undefined ? "" : ` (${origin})`;
                return [usage, description + from] as const;
            });
        const tools = context.pluginTools.map(({ name, plugin }) => [name, plugin] as const);
        const lines = ["Commands", ...table(commands), "", "Keys", ...table(KEYS)];
        if (tools.length > 0) lines.push("", "Plugin tools", ...table(tools));
        context.screen.print(lines.join("\n"));
    },
};

/** Longer cells get a line of their own, so that the second column fits into 80 columns. */
const WIDEST_FIRST = 28;

function table(rows: readonly (readonly [string, string])[]): string[] {
    const isWide = (first: string): boolean => first.length > WIDEST_FIRST;
    const lines = alignColumns(
        rows.map(([first, second]) => [isWide(first) ? "" : `  ${first}`, second])
    );
    return rows.flatMap(([first], index) => [
        ...(isWide(first) ? [`  ${first}`] : []),
        lines[index] ?? "",
    ]);
}
