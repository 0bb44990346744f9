import type { Completer, Completions } from "./completion.js";
import type { EditorState } from "./editor.js";

/** Completions of the current text; completers may be slow. */
export class Suggestions {
    private found: Completions | undefined;
    private lookUp = 0;
    private pending: Promise<void> | undefined;

    /** `changed` is called when late completions arrive. */
    constructor(
        private readonly completers: readonly Completer[],
        private readonly changed: () => void
    ) {}

    get current(): Completions | undefined {
        return this.found;
    }

    /** Resolves when the current text's completions arrive; absent once they have. */
    get arrival(): Promise<void> | undefined {
        return this.pending;
    }

    /** Looks up completions; answers for an earlier text are dropped. */
    update({ text, cursor }: EditorState): void {
        this.lookUp += 1;
        this.pending = undefined;
        const answer = this.ask(text, cursor);
        if (answer instanceof Promise) {
            // Enter must not take a choice made for another position.
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
                // A failing completer of a plugin completes nothing; typing continues.
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
