import type { Activity } from "../live-view.js";
import { stripControls } from "../../base/safe-text.js";
import type { Theme } from "../terminal/theme.js";
import { formatElapsed } from "../../base/format.js";

/** Enough for the live rows. */
const SHOWN_CHARACTERS = 2_000;

/** The model's thinking: live while it streams, then one line. */
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

    /** The next text starts another thought. */
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

    /** Ends the thinking; returns its milliseconds, or `undefined` without readable text. */
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
