import { PassThrough } from "node:stream";

import type { PickerOption } from "../plugin/index.js";
import { chord } from "./terminal/keys.js";
import { safeLine } from "./terminal/safe-text.js";
import type { Terminal } from "./terminal/terminal.js";

/** From this many options on one types to find; below, the arrows are quicker. */
const SEARCH_FROM = 8;

/**
 * Lets the user choose one option. The question reads a stream of its own, so that nothing typed
 * before it was drawn can answer it; Escape and Ctrl+C choose nothing.
 */
export async function pick(
    terminal: Terminal,
    output: NodeJS.WriteStream,
    title: string,
    options: readonly PickerOption[]
): Promise<string | undefined> {
    if (options.length === 0) return undefined;
    const prompts = await import("@inquirer/prompts");
    const { keyboard, screen } = terminal;
    const cancel = new AbortController();
    const input = new PassThrough();
    await keyboard.drain();
    screen.suspend();
    const context = { input, output, signal: cancel.signal, clearPromptOnDone: true };
    const choices = options.map(toChoice);
    const message = safeLine(title);
    const answer =
        options.length < SEARCH_FROM
            ? prompts.select({ message, choices }, context)
            : prompts.search({ message, source: (term) => matching(choices, term) }, context);
    const chosen = answer.then(
        (value) => value,
        (error: unknown) => {
            if (cancel.signal.aborted) return undefined;
            throw error;
        }
    );
    const release = keyboard.take((key) => {
        if (["escape", "ctrl-c"].includes(chord(key) ?? "")) cancel.abort();
        else input.write(key.sequence);
        if (chord(key) === "enter") keyboard.absorb(key);
    });
    try {
        return await chosen;
    } finally {
        release();
        input.end();
        screen.resume();
    }
}

interface Choice {
    readonly value: string;
    readonly name: string;
    readonly short: string;
}

export function toChoice({ id, label, hint }: PickerOption): Choice {
    const short = safeLine(label);
    return { value: id, name: hint ? `${short} (${safeLine(hint)})` : short, short };
}

export function matching(choices: readonly Choice[], term: string | undefined): readonly Choice[] {
    const words = (term ?? "").toLowerCase().split(/\s+/);
    return choices.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}
