import { counted } from "../../base/format.js";
import type { ContextPart, SlashContext } from "../../plugin/index.js";

/** `\$1` is text. */
const PLACEHOLDER =
    /\\(\$)(?=\d|ARGUMENTS)|\$\{CLAUDE_PROJECT_DIR\}|\$ARGUMENTS\b(?:\[(\d+)\])?|\$(\d)(?!\d)/g;
const ARGUMENT = /(?<!\\)\$(?:ARGUMENTS\b|\d(?!\d))/;
/** Published commands number their arguments from one; newer ones that use these, from zero. */
const FROM_ZERO = /(?<!\\)\$(?:0(?!\d)|ARGUMENTS\[)/;
/**
 * A command in backticks after `!` at the start of a word, or a block of them up to the next line
 * that begins with three backticks.
 */
const COMMAND = /(?<=^|\s|\p{P})!`([^`\n]+)`|(?<=^|\n)```!\n((?:(?!\n```)[^])*)\n```(?=\n|$)/gu;
const WORD = /"([^"]*)"|'([^']*)'|(\S+)/g;
const MAX_OUTPUT = 16_000;

type Context = Pick<SlashContext, "send" | "screen" | "shell">;

interface Values {
    readonly argumentsText: string;
    readonly projectFolder: string | undefined;
    readonly countsFromZero: boolean;
}

export async function sendTemplate(
    template: string,
    argumentsText: string,
    projectFolder: string | undefined,
    context: Context
): Promise<void> {
    const values = { argumentsText, projectFolder, countsFromZero: FROM_ZERO.test(template) };
    // Security: find commands before filling in arguments, so that arguments cannot add any.
    const found = [...template.matchAll(COMMAND)];
    const commands = found.map(([, word, block]) => filled(word ?? block ?? "", values));
    const parts = await outputsOf([...new Set(commands)], context);
    if (parts === undefined) {
        return context.screen.print("Not sent: one of its commands did not run.");
    }
    let end = 0;
    const pieces = found.map(({ 0: whole, 2: block, index }, place) => {
        const before = filled(template.slice(end, index), values);
        end = index + whole.length;
        const command = commands[place] ?? "";
        const shown = block === undefined ? `\`${command}\` ` : `\`\`\`\n${command}\n\`\`\`\n`;
        return `${before}${shown}(its output is attached)`;
    });
    const text = `${pieces.join("")}${filled(template.slice(end), values)}`;
    const isUsed = argumentsText === "" || ARGUMENT.test(template);
    const whole = isUsed ? text : `${text}\n\nARGUMENTS: ${argumentsText}`;
    await context.send({ text: whole, typed: whole, context: parts });
}

/** A placeholder without an argument stays as it is: it may be the text of a script. */
function filled(text: string, { argumentsText, projectFolder, countsFromZero }: Values): string {
    const words = [...argumentsText.matchAll(WORD)].map(
        ([, double, single, bare]) => double ?? single ?? bare
    );
    return text.replace(PLACEHOLDER, (whole, escaped?: string, index?: string, short?: string) => {
        if (escaped !== undefined) return escaped;
        if (whole.startsWith("${")) return projectFolder ?? whole;
        const place = index ?? (short && Number(short) - (countsFromZero ? 0 : 1));
        return place === undefined ? argumentsText : (words[Number(place)] ?? whole);
    });
}

/** Returns `undefined` if a command was not allowed or was cancelled. */
async function outputsOf(
    commands: readonly string[],
    { shell, screen }: Context
): Promise<readonly ContextPart[] | undefined> {
    const parts: ContextPart[] = [];
    for (const command of commands) {
        const contained = await runIn(screen, command, (signal) =>
            shell.contained(command, signal)
        );
        if (contained === "stopped") return undefined;
        if (contained) {
            parts.push(toPart(command, contained));
            continue;
        }
        const isAllowed = await screen.confirm("Run this command for real?", {
            details: [command],
        });
        const done = isAllowed
            ? await runIn(screen, command, (signal) => shell.run(command, signal))
            : "stopped";
        if (done === "stopped" || done === undefined) return undefined;
        parts.push(toPart(command, done));
    }
    return parts;
}

type Outcome = Awaited<ReturnType<SlashContext["shell"]["run"]>>;

/** Resolves with `stopped` after Esc or an error, which the user sees. */
async function runIn<Value>(
    screen: Context["screen"],
    command: string,
    work: (signal: AbortSignal) => Promise<Value>
): Promise<Value | "stopped"> {
    let value: Value | "stopped" = "stopped";
    await screen.during(command, async (signal) => {
        value = await work(signal);
    });
    return value;
}

function toPart(command: string, { exitCode, stdout, stderr }: Outcome): ContextPart {
    const output = [stdout, stderr].filter((text) => text !== "").join("\n");
    const left = output.length - MAX_OUTPUT;
    const beginning =
        left > 0
            ? `${output.slice(0, MAX_OUTPUT)}\n[${counted(left, "character")} left out]`
            : output;
    const end = exitCode === 0 ? "" : `, exit code ${exitCode}`;
    const text = `Output of \`${command}\`${end}; data:\n${beginning}`;
    return { kind: "command", id: command, text, origin: `!${command}` };
}
