import type { Completer, Completions } from "./completion.js";
import type { EditorState } from "./editor.js";

/** What could complete the text as it is now; completers may take their time. */
export class Suggestions {
    private found: Completions | undefined;
    private lookUp = 0;
    private pending: Promise<void> | undefined;

    /** `changed` is called when completions came late. */
    constructor(
        private readonly completers: readonly Completer[],
        private readonly changed: () => void
    ) {}

    get current(): Completions | undefined {
        return this.found;
    }

    /** Resolves when completions for the present text are there; absent when they are. */
    get arrival(): Promise<void> | undefined {
        return this.pending;
    }

    /** Looks up completions for another text; an answer for an earlier one is dropped. */
    update({ text, cursor }: EditorState): void {
        this.lookUp += 1;
        this.pending = undefined;
        const answer = this.ask(text, cursor);
        if (answer instanceof Promise) {
            // Enter must not take what stood in another place.
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
                // A completer of a plugin that fails completes nothing; typing goes on.
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
