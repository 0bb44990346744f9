import { type Command, commands, helpPattern, type Input } from "./grammar.js";

/** What one message asks for. */
export type Wish =
    | { readonly kind: "call"; readonly command: Command; readonly input: Input }
    | { readonly kind: "help" }
    | { readonly kind: "unknown"; readonly line: string };

/** Reads a message from top to bottom, a wish a line; texts may go over several. Never throws. */
export function parse(message: string): Wish[] {
    const wishes: Wish[] = [];
    let at = skipBlank(message, 0);
    while (at < message.length) {
        const { wish, end } = wishAt(message, at);
        wishes.push(wish);
        at = skipBlank(message, end);
    }
    return wishes;
}

function wishAt(message: string, at: number): { wish: Wish; end: number } {
    for (const command of commands) {
        const match = matchAt(command.pattern, message, at);
        if (match === undefined) continue;
        const input = command.toInput(match.groups ?? {});
        return { wish: { kind: "call", command, input }, end: at + match[0].length };
    }
    const help = matchAt(helpPattern, message, at);
    if (help !== undefined) return { wish: { kind: "help" }, end: at + help[0].length };
    const newline = message.indexOf("\n", at);
    const end = newline === -1 ? message.length : newline + 1;
    return { wish: { kind: "unknown", line: message.slice(at, end).trim() }, end };
}

function matchAt(pattern: RegExp, message: string, at: number): RegExpExecArray | undefined {
    pattern.lastIndex = at;
    return pattern.exec(message) ?? undefined;
}

function skipBlank(message: string, at: number): number {
    const blank = /\s*/y;
    blank.lastIndex = at;
    return at + (blank.exec(message)?.[0].length ?? 0);
}
