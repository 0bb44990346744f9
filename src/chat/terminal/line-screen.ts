import { Surface } from "./screen.js";

/** For a terminal that cannot move its cursor: writes the transcript, and each question once. */
export class LineScreen extends Surface {
    private asked = "";
    private timer: NodeJS.Immediate | undefined;
    readonly isBehind = false;
    readonly room = undefined;

    // Not at once: a line is several keys, and between them nothing is asked.
    refresh(): void {
        if (!this.isSuspended) this.timer ??= setImmediate(() => this.draw());
    }

    async flush(): Promise<void> {
        this.draw();
        await new Promise<void>((resolve) => this.output.write("", () => resolve()));
    }

    /** A line was entered: what was asked is asked again, if it still is. */
    answered(): void {
        this.asked = "";
        this.refresh();
    }

    /** What was printed stays; nothing can be erased. */
    clear(): void {
        this.draw();
    }

    suspend(): void {
        this.draw();
        this.isSuspended = true;
    }

    resume(): void {
        this.isSuspended = false;
        this.asked = "";
        this.draw();
    }

    resized(): void {}

    draw(): void {
        clearImmediate(this.timer);
        this.timer = undefined;
        if (this.isSuspended) return;
        const { asked = "" } = this.source(this.columns, this.output.rows || 24);
        // A prompt stands last; what is only told is told once.
        const isPrompt = (text: string): boolean => text !== "" && !text.endsWith("\n");
        const isNew = asked !== this.asked || (this.printed !== "" && isPrompt(asked));
        const begin = this.printed !== "" && isPrompt(this.asked) ? "\n" : "";
        const text = begin + this.printed + (isNew ? asked : "");
        this.printed = "";
        this.asked = asked;
        if (text !== "") this.output.write(text);
    }
}
