import { createRequire } from "node:module";
import type { Terminal } from "@xterm/headless";

// The package has ESM types but CommonJS code.
const { Terminal: Emulator }: { Terminal: new (options: object) => Terminal } = createRequire(
    import.meta.url
)("@xterm/headless");

/** A terminal that rewraps lines on a new width: xterm.js, which many editors use. */
export class ReflowingScreen {
    private readonly emulator: Terminal;

    constructor(columns: number, rows: number) {
        this.emulator = new Emulator({
            cols: columns,
            rows,
            scrollback: 10_000,
            allowProposedApi: true,
        });
    }

    /** Calls `done` once the output is visible. */
    write(data: string, done: () => void): void {
        this.emulator.write(data, done);
    }

    resize(columns: number, rows: number): void {
        this.emulator.resize(columns, rows);
    }

    screen(): string {
        const { baseY } = this.emulator.buffer.active;
        return this.lines(baseY);
    }

    transcript(): string {
        return this.lines(0);
    }

    cursor(): { readonly row: number; readonly column: number } {
        const { cursorX, cursorY } = this.emulator.buffer.active;
        return { row: cursorY, column: cursorX };
    }

    private lines(from: number): string {
        const { active } = this.emulator.buffer;
        const lines: string[] = [];
        for (let index = from; index < active.length; index += 1) {
            lines.push(active.getLine(index)?.translateToString(true).trimEnd() ?? "");
        }

        return lines.join("\n").trimEnd();
    }
}
