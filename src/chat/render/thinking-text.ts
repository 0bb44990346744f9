import type { Activity } from "../live-view.js";
import { stripControls } from "../../base/safe-text.js";
import type { Theme } from "../terminal/theme.js";
import { formatElapsed } from "../../base/format.js";

/** As much as the living lines may need of it. */
const SHOWN_CHARACTERS = 2_000;

/** What the model thinks before it goes on: alive while it streams in, one line once it is over. */
export class ThinkingText {
    private blocks: string[] = [];
    private isBlockOver = false;
    private since: number | undefined;

    constructor(private readonly now: () => number) {}

    add(text: string): void {
        this.since ??= this.now();
        if (this.isBlockOver || this.blocks.length === 0) this.blocks.push(text);
        else this.blocks[this.blocks.length - 1] += text;
        this.isBlockOver = false;
    }

    /** What comes next is another thought. */
    endBlock(): void {
        this.isBlockOver = true;
    }

    activity(theme: Theme): Activity | undefined {
        if (this.since === undefined) return undefined;
        const newest = this.blocks.slice(-2).join("\n").slice(-SHOWN_CHARACTERS);
        const prose = stripControls(newest)
            .replace(/\n\s*\n/g, "\n")
            .trim();
        return { label: theme.quiet("Thinking"), since: this.since, prose };
    }

    /** How long it took, in milliseconds, when it is over; `undefined` where nothing could be read. */
    take(): number | undefined {
        const { blocks, since } = this;
        this.blocks = [];
        this.since = undefined;
        if (since === undefined || stripControls(blocks.join("")).trim() === "") return undefined;
        return this.now() - since;
    }
}

/** `✻ Thought for 12s · /expand thinking shows it` */
export function thoughtLine(milliseconds: number, theme: Theme): string {
    const time = milliseconds >= 1_000 ? ` for ${formatElapsed(milliseconds)}` : "";
    return theme.quiet(`✻ Thought${time} · /expand thinking shows it`);
}
