import { counted } from "../../base/format.js";
import type { ContextPart, SlashContext } from "../../plugin/index.js";

const ARGUMENT = /\$(?:ARGUMENTS\b|([1-9])(?!\d))/g;
/** A command in backticks after `!`, at the start of a word. */
const COMMAND = /(?<=^|\s|\p{P})!`([^`\n]+)`/gu;
const WORD = /"([^"]*)"|'([^']*)'|(\S+)/g;
const MAX_OUTPUT = 16_000;

type Context = Pick<SlashContext, "send" | "screen" | "shell">;

export async function sendTemplate(
    template: string,
    argumentsText: string,
    context: Context
): Promise<void> {
    // Security: find commands before filling in arguments, so that arguments cannot add any.
    const commands = [...template.matchAll(COMMAND)].map(([, text = ""]) =>
        filled(text, argumentsText)
    );
    const parts = await outputsOf([...new Set(commands)], context);
    if (parts === undefined) {
        return context.screen.print("Not sent: one of its commands did not run.");
    }
    const text = template
        .split(COMMAND)
        .map((piece, index) => {
            const part = filled(piece, argumentsText);
            return index % 2 === 0 ? part : `\`${part}\` (its output is attached)`;
        })
        .join("");
    const isUsed = argumentsText === "" || template.search(ARGUMENT) >= 0;
    const whole = isUsed ? text : `${text}\n\nARGUMENTS: ${argumentsText}`;
    await context.send({ text: whole, typed: whole, context: parts });
}

function filled(text: string, argumentsText: string): string {
    const words = [...argumentsText.matchAll(WORD)].map(
        ([, double, single, bare]) => double ?? single ?? bare
    );
    return text.replace(ARGUMENT, (_placeholder, position?: string) =>
        position === undefined ? argumentsText : (words[Number(position) - 1] ?? "")
    );
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
