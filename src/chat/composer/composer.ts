import type { Key } from "../terminal/keys.js";
import { graphemes } from "../terminal/graphemes.js";
import { meaningOf, type ComposerCommand } from "./bindings.js";
import { type Completer, type Completions, Suggestions } from "./completion.js";
import { edit, EMPTY, typedText, type EditorAction, type EditorState } from "./editor.js";
import { type HistorySearch, type HistoryWalk, searchHistory, startWalk, step } from "./history.js";
import { hasLine } from "./motions.js";
import { ViKeys } from "./vi-keys.js";

export type EditingMode = "emacs" | "vi";

export interface ComposerEvents {
    /** `typed` is the text in which mentions count. */
    submit(text: string, typed: string): void;
    interrupt(): void;
    /** Up on an empty line: restores the last message if it is still queued. */
    recallQueued(): boolean;
    quit(): void;
    toggleMode(): void;
    clearScreen(): void;
    openEditor(draft: string): void;
    pasteImage(): void;
    changed(): void;
}

const NOTES = {
    interrupt: "Press Ctrl+C again to quit.",
    "leave-or-delete": "Still working. Press Ctrl+D again to cancel and quit.",
    escape: "/undo undoes the last edits; /rewind TURN goes back to a turn.",
} as const;

/** Whoever quits so shortly before the work ends need not say so again. */
const LAST_MOMENT_MS = 1_000;

/** Cycles through completions with repeated Tab. */
interface Cycle extends Completions {
    readonly index: number;
}

/** The draft being typed. Maps keys to actions; draws nothing. */
export class Composer {
    private state: EditorState = EMPTY;
    private walk: HistoryWalk = startWalk([]);
    private cycle: Cycle | undefined;
    private search: HistorySearch | undefined;
    /** The last key, if it left a note. Ctrl+C and Ctrl+D quit when pressed again. */
    private asked: keyof typeof NOTES | undefined;
    private askedAt = 0;
    private isListHidden = false;
    private selected = 0;
    /** While the agent works, Ctrl+C and Escape cancel. */
    isBusy = false;

    private vi: ViKeys | undefined;
    private completions: Suggestions;

    constructor(
        private events: Partial<ComposerEvents>,
        completers: readonly Completer[] = []
    ) {
        this.completions = new Suggestions(completers, () => events.changed?.());
    }

    /** Replaces handlers, completers and the way of editing; keeps the draft. */
    connect(
        events: ComposerEvents,
        completers: readonly Completer[],
        editingMode: EditingMode = "emacs"
    ): void {
        this.events = events;
        this.vi = editingMode === "vi" ? new ViKeys() : undefined;
        this.completions = new Suggestions(completers, () => events.changed());
        this.completions.update(this.state);
    }

    /** Returns whether the user has just asked to quit. */
    endWork(): boolean {
        this.isBusy = false;
        if (this.asked !== "leave-or-delete") return false;
        // It would say that the work goes on.
        this.asked = undefined;
        return performance.now() - this.askedAt < LAST_MOMENT_MS;
    }

    get editor(): EditorState {
        return this.state;
    }

    get note(): string | undefined {
        return this.asked && NOTES[this.asked];
    }

    get suggestions(): (Completions & { readonly index?: number }) | undefined {
        if (this.cycle) return this.cycle;
        const found = this.completions.current;
        if (!found || this.search || this.isListHidden || this.state.text === "") return undefined;
        const isWhole = found.choices.length === 1 && found.choices[0]?.value === this.typed(found);
        if (isWhole) return undefined;
        return found.takesEnter ? { ...found, index: this.selectedIn(found) } : found;
    }

    get searching(): HistorySearch | undefined {
        return this.search;
    }

    setText(text: string): void {
        this.apply({ type: "set", text });
        this.events.changed?.();
    }

    insert(text: string): void {
        this.apply({ type: "insert", text });
        this.events.changed?.();
    }

    /** Earlier inputs, oldest first. */
    setHistory(entries: readonly string[]): void {
        this.walk = startWalk(entries);
    }

    prepend(text: string, isPasted = false): void {
        const before = this.state.text === "" ? text : `${text}\n`;
        this.apply({ type: "replace", from: 0, to: 0, text: before, isPasted });
        this.apply({ type: "move", to: "text-end" });
        this.events.changed?.();
    }

    readonly handleKey = (key: Key): void => {
        // Out of insert mode each character is a key of its own.
        const isLong = this.vi && key.type === "text" && graphemes(key.text).length > 1;
        const keys = isLong ? graphemes(key.text).map((text) => ({ ...key, text })) : [key];
        for (const each of keys) {
            const steps = this.search ? undefined : this.vi?.take(each, this.state);
            for (const meaning of steps ?? [meaningOf(each)]) this.follow(meaning);
        }
    };

    private follow(meaning: ComposerCommand | EditorAction | undefined): void {
        if (!meaning) return;
        if (this.search && this.takesForSearch(meaning, this.search)) {
            this.events.changed?.();
            return;
        }
        const isAsked = this.asked === meaning;
        this.asked = undefined;
        if (meaning !== "complete") this.cycle = undefined;
        if (typeof meaning === "string") {
            this.commands[meaning](isAsked);
        } else {
            this.isListHidden = false;
            this.selected = 0;
            this.apply(meaning);
        }
        this.events.changed?.();
    }

    /** `isAsked`: the previous key was the same. */
    private readonly commands: Readonly<Record<ComposerCommand, (isAsked: boolean) => void>> = {
        send: () => this.send(),
        complete: () => this.complete(),
        up: () => this.moveVertically("up"),
        down: () => this.moveVertically("down"),
        interrupt: (isAsked) => this.interrupt(isAsked),
        escape: () => {
            this.isListHidden = true;
            if (this.isBusy) this.events.interrupt?.();
            else if (this.state.text === "") this.asked = "escape";
        },
        "leave-or-delete": (isAsked) => {
            if (this.state.text !== "") return this.apply({ type: "delete", to: "right" });
            if (!this.isBusy || isAsked) return this.events.quit?.();
            this.asked = "leave-or-delete";
            this.askedAt = performance.now();
        },
        "clear-screen": () => this.events.clearScreen?.(),
        "toggle-mode": () => this.events.toggleMode?.(),
        "search-history": () => {
            this.search = { query: "", found: undefined, draft: this.state.text };
        },
        "open-editor": () => this.events.openEditor?.(this.state.text),
        "paste-image": () => this.events.pasteImage?.(),
    };

    private apply(action: EditorAction): void {
        this.state = edit(this.state, action);
        this.completions.update(this.state);
    }

    private send(): void {
        const { text, cursor } = this.state;
        const list = this.suggestions;
        if (list?.takesEnter && !list.choices.some(({ value }) => value === this.typed(list))) {
            this.take(list);
            const line = this.state.text.trim();
            const [only, ...others] = list.choices;
            // Several choices may need an argument first, and a file mention is not a message.
            if (line.startsWith("/") && line === only?.value && others.length === 0) this.submit();
        } else if (text.endsWith("\\") && cursor === text.length) {
            this.apply({ type: "replace", from: cursor - 1, to: cursor, text: "\n" });
        } else if (text.trim() !== "") {
            this.submit();
        }
    }

    private submit(): void {
        const text = this.state.text.trimEnd();
        const typed = typedText(this.state).trimEnd();
        this.apply({ type: "start" });
        this.vi?.begin();
        this.walk = startWalk([...this.walk.entries, text]);
        this.events.submit?.(text, typed);
    }

    /** Whether the search handles the key. Any other key ends the search and keeps the match. */
    private takesForSearch(
        meaning: ComposerCommand | EditorAction,
        search: HistorySearch
    ): boolean {
        const { entries } = this.walk;
        const look = (query: string, from: number): void => {
            this.search = searchHistory(entries, { ...search, query }, from);
            const { found } = this.search;
            const text = found === undefined ? search.draft : (entries[found] ?? "");
            this.apply({ type: "set", text });
        };
        const end = (): void => {
            this.search = undefined;
            this.isListHidden = true;
        };
        const type = typeof meaning === "string" ? meaning : meaning.type;
        if (type === "search-history") {
            look(search.query, (search.found ?? entries.length) - 1);
        } else if (typeof meaning === "object" && meaning.type === "insert") {
            look(search.query + meaning.text, search.found ?? entries.length);
        } else if (type === "delete") {
            look(graphemes(search.query).slice(0, -1).join(""), entries.length);
        } else if (type === "interrupt" || type === "escape") {
            this.apply({ type: "set", text: search.draft });
            end();
        } else {
            end();
            return type === "send";
        }
        return true;
    }

    private complete(): void {
        const late = this.completions.arrival;
        if (!this.cycle && late) {
            const { state } = this;
            // Only if nothing was typed in between.
            void late.then(() => this.state === state && this.completeFound());
        } else {
            this.completeFound();
        }
    }

    private completeFound(): void {
        const found = this.cycle ?? this.completions.current;
        if (!found) {
            if (this.state.text === "") this.events.toggleMode?.();
            return;
        }
        const { length } = found.choices;
        const selected = this.cycle?.index ?? this.selectedIn(found);
        // Complete a folder by its contents, not by itself.
        const typed = this.typed(found);
        const isFolder = /\/"?$/.test(typed) && found.choices[selected]?.value === typed;
        const index = this.cycle || isFolder ? (selected + 1) % length : selected;
        const value = found.choices[index]?.value ?? "";
        const isOnly = length === 1;
        this.apply({ ...found, type: "replace", text: isOnly ? `${value} ` : value });
        this.cycle = isOnly ? undefined : { ...found, to: found.from + value.length, index };
        this.events.changed?.();
    }

    private take(list: Completions): void {
        const value = list.choices[this.selectedIn(list)]?.value ?? "";
        this.apply({ ...list, type: "replace", text: `${value} ` });
        this.isListHidden = true;
    }

    private typed({ from, to }: Completions): string {
        return this.state.text.slice(from, to);
    }

    // The list may have shrunk since the selection.
    private selectedIn({ choices }: Completions): number {
        return Math.min(this.selected, choices.length - 1);
    }

    private moveVertically(direction: "up" | "down"): void {
        const { text, cursor } = this.state;
        const list = this.suggestions;
        if (list?.takesEnter) {
            const step = direction === "up" ? list.choices.length - 1 : 1;
            this.selected = (this.selectedIn(list) + step) % list.choices.length;
            return;
        }
        if (hasLine(text, cursor, direction === "up" ? "above" : "below")) {
            this.apply({ type: "move", to: direction === "up" ? "line-up" : "line-down" });
            return;
        }
        if (direction === "up" && text === "" && this.events.recallQueued?.()) return;
        const found = step(this.walk, direction === "up" ? "older" : "newer", text);
        if (!found) return;
        this.walk = found.walk;
        this.isListHidden = true;
        this.apply({ type: "set", text: found.text });
    }

    private interrupt(isAsked: boolean): void {
        if (this.isBusy) {
            this.events.interrupt?.();
        } else if (isAsked) {
            this.events.quit?.();
        } else {
            this.apply({ type: "set", text: "" });
            this.walk = startWalk(this.walk.entries);
            this.asked = "interrupt";
        }
    }
}
