import { Surface } from "./screen.js";

/** For a terminal that cannot move its cursor. Prints the transcript, and each question once. */
export class LineScreen extends Surface {
    private asked = "";
    private timer: NodeJS.Immediate | undefined;
    readonly isBehind = false;
    readonly room = undefined;

    // Deferred: a line is several keys, and nothing may be asked between them.
    refresh(): void {
        if (!this.isSuspended) this.timer ??= setImmediate(() => this.draw());
    }

    async flush(): Promise<void> {
        this.draw();
        await new Promise<void>((resolve) => this.output.write("", () => resolve()));
    }

    /** A line was entered; repeats the question if it is still open. */
    answered(): void {
        this.asked = "";
        this.refresh();
    }

    /** Nothing can be erased. */
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
        // A prompt always comes last; a notice is printed once.
        const isPrompt = (text: string): boolean => text !== "" && !text.endsWith("\n");
        const isNew = asked !== this.asked || (this.printed !== "" && isPrompt(asked));
        const begin = this.printed !== "" && isPrompt(this.asked) ? "\n" : "";
        const text = begin + this.printed + (isNew ? asked : "");
        this.printed = "";
        this.asked = asked;
        if (text !== "") this.output.write(text);
    }
}
