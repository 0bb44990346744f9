import { stripControls } from "../../base/safe-text.js";

const KEPT_CHARACTERS = 4000;

/** The last lines of streaming output, in bounded memory. */
export class OutputTail {
    private kept = "";
    /** Completed lines, kept or not. */
    private finishedLines = 0;

    add(text: string): void {
        this.finishedLines += text.split("\n").length - 1;
        this.kept = (this.kept + text).slice(-KEPT_CHARACTERS);
    }

    get lineCount(): number {
        return this.finishedLines + (this.kept === "" || this.kept.endsWith("\n") ? 0 : 1);
    }

    /** The newest lines, safe to print. A line overwritten after `\r` shows its last state. */
    last(amount: number): string[] {
        const lines = this.kept.replace(/\n$/, "").split("\n").slice(-amount);
        if (this.kept === "") return [];
        return lines.map((line) =>
            stripControls(
                line
                    .replace(/(?<!\r)\r+$/, "")
                    .split("\r")
                    .at(-1) ?? ""
            )
        );
    }
}
