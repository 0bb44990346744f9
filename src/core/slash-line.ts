import type { SlashCommand } from "../plugin/index.js";

interface SlashInvocation {
    readonly name: string;
    /** The text after the name, up to the end of the line or the next command; quotes are kept. */
    readonly argumentsText: string;
}

interface TextSpan {
    readonly start: number;
    readonly end: number;
}

const WORD = /(?<=^|\s)\/([a-z][a-z0-9_:.-]*)(?=\s|$)/gim;

/**
 * Parses the commands in a message. A command is a known `/name` after white space or at the start
 * of a line; its arguments end with the line or at the next command outside quotes. Text after a
 * command without arguments, or after its one word, is part of the message.
 */
export function parseSlashLine(
    input: string,
    commands: readonly Pick<SlashCommand, "name" | "usage" | "takesOneWord">[]
): {
    /** In the order typed. */
    readonly invocations: readonly SlashInvocation[];
    /** The remaining text, to be sent as the message; may be empty. */
    readonly message: string;
    /** Words at the start of a line that look like commands but are unknown. */
    readonly unknown: readonly string[];
} {
    const byName = new Map(commands.map((command) => [command.name, command]));
    const isCommand = (name: string) => byName.has(name);
    const quotes = quotedSpans(input);
    const words = [...input.matchAll(WORD)]
        .map((match) => ({ name: (match[1] ?? "").toLowerCase(), start: match.index }))
        .filter(({ start }) => !quotes.some((quote) => start > quote.start && start < quote.end));
    const known = words.filter(({ name }) => isCommand(name));
    const spans = known.map(({ name, start }, index) => {
        const argumentsStart = start + name.length + 1;
        const ownEnd = endOfArguments(input, argumentsStart, byName.get(name), quotes);
        const end = Math.min(ownEnd, known[index + 1]?.start ?? Infinity);
        return { name, start, end, argumentsText: input.slice(argumentsStart, end).trim() };
    });
    const unknown = words
        // With a dot it may be a file, such as `/notes.txt`.
        .filter(({ name }) => !isCommand(name) && !name.includes("."))
        .filter(
            ({ start }) => input.slice(input.lastIndexOf("\n", start - 1) + 1, start).trim() === ""
        )
        .filter(({ start }) => !spans.some((span) => start >= span.start && start < span.end));
    return {
        invocations: spans.map(({ name, argumentsText }) => ({ name, argumentsText })),
        message: withoutSpans(input, spans).trim(),
        unknown: unknown.map(({ name }) => name),
    };
}

// Only quotes after a command name matter. An apostrophe follows a letter, so it opens no quote.
function quotedSpans(input: string): TextSpan[] {
    return [...input.matchAll(/(?<=^|\s)(?:"[^"]*"|'[^']*')(?=\s|$)/g)].map((match) => ({
        start: match.index,
        end: match.index + match[0].length,
    }));
}

function endOfArguments(
    input: string,
    from: number,
    command: Pick<SlashCommand, "name" | "usage" | "takesOneWord"> | undefined,
    quotes: readonly TextSpan[]
): number {
    if (command === undefined || command.usage.trim() === `/${command.name}`) return from;
    const lineEnd = endOfLine(input, from, quotes);
    if (!command.takesOneWord) return lineEnd;
    const [word = ""] = /^[^\S\n]*\S+/.exec(input.slice(from, lineEnd)) ?? [];
    return word === "" ? lineEnd : from + word.length;
}

function endOfLine(input: string, from: number, quotes: readonly TextSpan[]): number {
    let end = input.indexOf("\n", from);
    for (const quote of quotes) {
        if (end > quote.start && end < quote.end) end = input.indexOf("\n", quote.end);
    }

    return end < 0 ? input.length : end;
}

function withoutSpans(input: string, spans: readonly TextSpan[]): string {
    return spans.reduceRight(
        (text, { start, end }) => text.slice(0, start) + text.slice(end),
        input
    );
}
