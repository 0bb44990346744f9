import type { Option, SlashCommand, SlashContext } from "../../plugin/index.js";
import type { EditorState } from "./editor.js";

/** Max length of a command with its argument. */
const LOOK_BACK = 200;

export interface Completions {
    readonly from: number;
    readonly to: number;
    readonly choices: readonly Option[];
    /** Enter takes the selected choice before it sends. True for names, not for arguments. */
    readonly takesEnter?: boolean;
}

/** Returns `undefined` if it does not complete the word at the cursor. The first answer wins. */
export type Completer = (
    text: string,
    cursor: number
) => Completions | Promise<Completions> | undefined;

export function slashCompleter(
    commands: readonly SlashCommand[],
    context: () => SlashContext
): Completer {
    return (text, cursor) => {
        // The bound keeps long lines fast.
        const start = Math.max(text.lastIndexOf("\n", cursor - 1) + 1, cursor - LOOK_BACK);
        const before = text.slice(start, cursor);
        const name = /(?:^|\s)\/([a-z0-9_:.-]*)$/.exec(before)?.[1];
        if (name !== undefined) {
            const isFirst = before.trim() === `/${name}`;
            return completeName(commands, name, cursor, isFirst);
        }
        const words = /(?:^|\s)\/([a-z0-9_:.-]+)[ \t]+((?:[^/ \t][^/]*)?)$/.exec(before);
        const command = commands.find((known) => known.name === words?.[1]);
        return command && completeArgument(command, words?.[2] ?? "", cursor, context());
    };
}

function completeName(
    commands: readonly SlashCommand[],
    typed: string,
    cursor: number,
    takesEnter: boolean
): Completions | undefined {
    const choices = commands
        .filter(({ name }) => name.startsWith(typed))
        .map(({ name, description }) => ({ value: `/${name}`, description }));
    // Not a command; probably a path.
    return choices.length > 0
        ? { from: cursor - typed.length - 1, to: cursor, choices, takesEnter }
        : undefined;
}

function completeArgument(
    command: SlashCommand,
    argument: string,
    cursor: number,
    context: SlashContext
): Completions | Promise<Completions> | undefined {
    const choices = command.complete?.(argument, context);
    const found = { from: cursor - argument.length, to: cursor };
    if (choices instanceof Promise) return choices.then((own) => ({ ...found, choices: own }));
    return choices && { ...found, choices };
}

export class Suggestions {
    private found: Completions | undefined;
    private lookUp = 0;
    private pending: Promise<void> | undefined;

    /** Calls `changed` when completions arrive late. */
    constructor(
        private readonly completers: readonly Completer[],
        private readonly changed: () => void
    ) {}

    get current(): Completions | undefined {
        return this.found;
    }

    get arrival(): Promise<void> | undefined {
        return this.pending;
    }

    /** Looks up completions. Drops answers for an earlier text. */
    update({ text, cursor }: EditorState): void {
        this.lookUp += 1;
        this.pending = undefined;
        const answer = this.ask(text, cursor);
        if (answer instanceof Promise) {
            // Enter must not take a choice from another position.
            if (this.found?.takesEnter) this.found = undefined;
            this.pending = this.receive(answer, this.lookUp);
        } else {
            this.found = hasChoices(answer);
        }
    }

    private ask(text: string, cursor: number): ReturnType<Completer> {
        for (const completer of this.completers) {
            try {
                const answer = completer(text, cursor);
                if (answer) return answer;
            } catch {
                // A plugin's completer may fail; typing continues.
            }
        }
        return undefined;
    }

    private async receive(answer: Promise<Completions>, lookUp: number): Promise<void> {
        const found = await answer.catch(() => undefined);
        if (lookUp !== this.lookUp) return;
        this.found = hasChoices(found);
        this.pending = undefined;
        this.changed();
    }
}

function hasChoices(found: Completions | undefined): Completions | undefined {
    return found && found.choices.length > 0 ? found : undefined;
}
