import type { Key } from "../terminal/keys.js";
import { commandFor } from "./bindings.js";
import type { Completer, Completions } from "./completion.js";
import { edit, EMPTY, type EditorAction, type EditorState } from "./editor.js";
import { startWalk, step, type HistoryWalk } from "./history-walk.js";
import { hasLine } from "./motions.js";
import { Suggestions } from "./suggestions.js";

/** What the composer tells the chat. */
export interface ComposerEvents {
    submit(text: string): void;
    /** Ctrl+C or Escape while the agent works. */
    interrupt(): void;
    leave(): void;
    toggleMode(): void;
    clearScreen(): void;
    /** Something that is drawn has changed. */
    changed(): void;
}

/** Between two words; who pauses longer has looked up. */
const TYPING_PAUSE_MS = 400;

/** Choosing among completions with repeated Tab. */
interface Cycle extends Completions {
    readonly index: number;
}

/** The line (or lines) being typed: gives keys their meaning. It draws nothing. */
export class Composer {
    private state: EditorState = EMPTY;
    private walk: HistoryWalk = startWalk([]);
    private cycle: Cycle | undefined;
    private hasAskedToLeave = false;
    private isListHidden = false;
    /** While the agent works, Ctrl+C and Escape stop it. */
    isBusy = false;

    private readonly completions: Suggestions;
    private lastKeyAt = -Infinity;

    constructor(
        private readonly events: ComposerEvents,
        completers: readonly Completer[],
        private readonly now: () => number = () => performance.now()
    ) {
        this.completions = new Suggestions(completers, () => events.changed());
    }

    get editor(): EditorState {
        return this.state;
    }

    /** Whether the next Ctrl+C leaves. */
    get isLeaving(): boolean {
        return this.hasAskedToLeave;
    }

    /** Somebody is in the middle of a sentence. */
    get isTyping(): boolean {
        return this.state.text !== "" && this.now() - this.lastKeyAt < TYPING_PAUSE_MS;
    }

    /** What could be completed, with the choice that Tab made. */
    get suggestions(): (Completions & { readonly index?: number }) | undefined {
        if (this.cycle) return this.cycle;
        if (this.isListHidden || this.state.text === "") return undefined;
        const found = this.completions.current;
        const typed = this.state.text.slice(found?.from, found?.to);
        const isWhole = found?.choices.length === 1 && found.choices[0]?.value === typed;
        return isWhole ? undefined : found;
    }

    /** Earlier inputs, oldest first. */
    setHistory(entries: readonly string[]): void {
        this.walk = startWalk(entries);
    }

    /** Puts text before what is being typed. */
    prepend(text: string): void {
        const own = this.state.text;
        this.apply({ type: "set", text: own === "" ? text : `${text}\n${own}` });
        this.events.changed();
    }

    /** Acts on one key. */
    readonly handleKey = (key: Key): void => {
        const command = commandFor(key);
        if (!command) return;
        this.lastKeyAt = this.now();
        if (command.type !== "interrupt") this.hasAskedToLeave = false;
        if (command.type !== "complete") this.cycle = undefined;
        switch (command.type) {
            case "edit":
                this.isListHidden = false;
                this.apply(command.action);
                break;
            case "send":
                this.send();
                break;
            case "complete":
                this.complete();
                break;
            case "up":
            case "down":
                this.moveVertically(command.type);
                break;
            case "interrupt":
                this.interrupt();
                break;
            case "escape":
                this.isListHidden = true;
                if (this.isBusy) this.events.interrupt();
                break;
            case "leave-or-delete":
                if (this.state.text !== "") this.apply({ type: "delete", to: "right" });
                else if (!this.isBusy) this.events.leave();
                break;
            case "clear-screen":
                this.events.clearScreen();
                break;
            case "toggle-mode":
                this.events.toggleMode();
                break;
            default:
                command satisfies never;
        }
        this.events.changed();
    };

    private apply(action: EditorAction): void {
        this.state = edit(this.state, action);
        this.completions.update(this.state);
    }

    private send(): void {
        const { text, cursor } = this.state;
        if (text.endsWith("\\") && cursor === text.length) {
            this.apply({ type: "replace", from: cursor - 1, to: cursor, text: "\n" });
        } else if (text.trim() !== "") {
            this.apply({ type: "set", text: "" });
            this.walk = startWalk([...this.walk.entries, text.trimEnd()]);
            this.events.submit(text.trimEnd());
        }
    }

    private complete(): void {
        const late = this.completions.arrival;
        if (!this.cycle && late) {
            const { state } = this;
            // Only if nothing was typed since.
            void late.then(() => this.state === state && this.completeFound());
        } else {
            this.completeFound();
        }
    }

    private completeFound(): void {
        const found = this.cycle ?? this.completions.current;
        if (!found) {
            this.events.toggleMode();
            return;
        }
        const index = this.cycle ? (this.cycle.index + 1) % found.choices.length : 0;
        const value = found.choices[index]?.value ?? "";
        const isOnly = found.choices.length === 1;
        this.apply({ ...found, type: "replace", text: isOnly ? `${value} ` : value });
        this.cycle = isOnly ? undefined : { ...found, to: found.from + value.length, index };
        this.events.changed();
    }

    private moveVertically(direction: "up" | "down"): void {
        const { text, cursor } = this.state;
        if (hasLine(text, cursor, direction === "up" ? "above" : "below")) {
            this.apply({ type: "move", to: direction === "up" ? "line-up" : "line-down" });
            return;
        }
        const found = step(this.walk, direction === "up" ? "older" : "newer", text);
        if (!found) return;
        this.walk = found.walk;
        this.isListHidden = true;
        this.apply({ type: "set", text: found.text });
    }

    private interrupt(): void {
        if (this.isBusy) {
            this.events.interrupt();
        } else if (this.hasAskedToLeave) {
            this.events.leave();
        } else {
            this.apply({ type: "set", text: "" });
            this.walk = startWalk(this.walk.entries);
            this.hasAskedToLeave = true;
        }
    }
}
