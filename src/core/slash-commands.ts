import { ownValue } from "../base/fields.js";
import { typeable } from "../base/north-command.js";
import { commandToAdd } from "../base/package-root.js";
import { nearName } from "../base/near-name.js";
import type { SlashCommand, SlashContext } from "../plugin/index.js";
import type { Session } from "./session.js";
import { parseSlashLine } from "./slash-line.js";

/** Where a message's commands run, and how what goes wrong is shown. */
interface SlashLineOptions {
    readonly session: Pick<Session, "noteCommand">;
    /** Only its commands exist. */
    readonly context: SlashContext;
    readonly signal: AbortSignal;
    /** Shows why nothing was sent. */
    advise(correction: string): void;
    /** Shows a hint about a message that is sent. */
    note(hint: string): void;
    /** Shows the failure of a command; `unsent` is the message of its line. */
    fail(error: unknown, unsent: string): void;
}

const OWN_COMMAND = "A message that begins with ! runs a command: !npm test";

/** What does the same as other coding assistants' commands without being a slash command. */
const ELSEWHERE: Readonly<Record<string, string>> = {
    add: "@FILE in a message attaches a file.",
    ask: "/mode ask lets the model read and answer only.",
    commit: 'Ask for it ("Commit this"), or !git commit.',
    commands: "/help lists the commands; `north commands` lists those of Markdown files.",
    diff: "!git diff shows the changes; /turns lists the turns that made them.",
    doctor: "Run `north doctor` in a shell.",
    hooks: "Hooks are in config.json; `north doctor` checks them.",
    lint: OWN_COMMAND,
    ls: OWN_COMMAND,
    login: "Run `north login` in a shell.",
    plugins: "Run `north plugins` in a shell.",
    run: OWN_COMMAND,
    statusline: '`"statusLine"` in config.json replaces the status line.',
    test: OWN_COMMAND,
    theme: "The colours are the terminal's own; NO_COLOR=1 turns them off.",
    todos: "The chat shows the model's todos whenever they change.",
    tools: "Run `north tools` in a shell.",
    update: "Run `north update` in a shell.",
    vim: '`"editingMode": "vi"` in config.json sets vi keys.',
};

/** Names of the same commands in other coding assistants. */
const NAMES_ELSEWHERE: Readonly<Record<string, string>> = {
    "add-dir": "context",
    approvals: "auto",
    architect: "plan",
    bashes: "jobs",
    compact: "summarize",
    compress: "summarize",
    config: "help",
    cost: "costs",
    effort: "thinking",
    history: "conversations",
    init: "learn",
    permissions: "auto",
    q: "quit",
    rename: "name",
    reset: "new",
    restore: "undo",
    save: "export",
    sessions: "conversations",
    stats: "usage",
    status: "usage",
    tasks: "jobs",
    tokens: "usage",
    think: "thinking",
};

export const MCP_PLUGIN = "north-plugin-mcp";

/** The step to MCP servers, which are a plugin. */
export function stepToMcp(): string {
    return `\`${commandToAdd(MCP_PLUGIN)}\` adds MCP servers.`;
}

/** Runs a message's commands. Resolves with the rest; empty after a failure or a mistyped one. */
export async function runSlashLine(
    text: string,
    { session, context, signal, advise, note, fail }: SlashLineOptions
): Promise<string> {
    const { commands } = context;
    const mistake = mistypedCommand(text, commands);
    if (mistake !== undefined) {
        advise(mistake);
        return "";
    }
    const { invocations, message, unknown } = parseSlashLine(text, commands);
    for (const { name, argumentsText } of invocations) {
        if (signal.aborted) return "";
        try {
            session.noteCommand(name, argumentsText);
            await commands.find((command) => command.name === name)?.run(argumentsText, context);
        } catch (error) {
            fail(error, message);
            return "";
        }
    }
    for (const name of unknown) {
        note(`There is no /${name}; it is sent as text.${stepToHelp(commands)}`);
    }
    return message;
}

/** A correction for a mistyped command; `undefined` for a message such as `/tmp is full`. */
export function mistypedCommand(
    input: string,
    commands: readonly SlashCommand[]
): string | undefined {
    const { invocations, unknown } = parseSlashLine(input, commands);
    const [name] = unknown;
    if (name === undefined || invocations.length > 0) return undefined;
    if (!input.trimStart().toLowerCase().startsWith(`/${name}`)) return undefined;
    const names = commands.map((command) => command.name);
    const elsewhere = ownValue(NAMES_ELSEWHERE, name);
    if (elsewhere !== undefined && names.includes(elsewhere)) {
        return `There is no /${name}. Use /${elsewhere}.`;
    }
    const advice = ownValue(ELSEWHERE, name);
    if (advice !== undefined) return `There is no /${name}. ${typeable(advice)}`;
    if (name === "mcp") return `There is no /mcp. ${stepToMcp()}`;
    const near = nearName(name, names);
    if (near !== undefined) return `There is no /${name}. Did you mean /${near}?`;
    const isAlone = input.trim().length === name.length + 1;
    return isAlone ? `There is no /${name}.${stepToHelp(commands)}` : undefined;
}

/** An editor lists the commands itself. */
function stepToHelp(commands: readonly SlashCommand[]): string {
    return commands.some(({ name }) => name === "help") ? " /help lists the commands." : "";
}
