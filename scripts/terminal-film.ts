// Records a terminal over time, and renders it as a still or an animation.
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";

const CELL = { width: 8.4, height: 18 };
const PADDING = 16;
const FONT = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const INK = "#e6edf3";
const PAPER = "#0d1117";
const COLOURS = ["#484f58", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#76e3ea", INK];
const BRIGHT = [
    "#6e7681",
    "#ffa198",
    "#a5f3b0",
    "#f2cc60",
    "#a5d6ff",
    "#e2c5ff",
    "#b3f0ff",
    "#fff",
];
/** Longer pauses are cut to this. */
const MAX_PAUSE_MS = 1_600;
const LAST_PAUSE_MS = 5_000;

/** The screen at one moment; each row is the inside of a `<text>`. */
type Frame = readonly string[];

export interface ProgramOptions {
    readonly args: readonly string[];
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly columns: number;
    readonly rows: number;
}

/** Runs a program in a terminal emulator and films it. */
export class TerminalFilm {
    private readonly emulator: InstanceType<typeof xterm.Terminal>;
    private readonly program;
    private readonly frames: { readonly at: number; readonly frame: Frame }[] = [];
    private watchers: (() => void)[] = [];

    constructor(private readonly options: ProgramOptions) {
        const { args, cwd, env, columns: cols, rows } = options;
        this.emulator = new xterm.Terminal({ cols, rows, allowProposedApi: true });
        const environment = { ...env, TERM: "xterm-256color" };
        this.program = spawn(process.execPath, [...args], { cwd, cols, rows, env: environment });
        this.program.onData((data) =>
            this.emulator.write(data, () => {
                this.shoot();
                for (const watcher of this.watchers) watcher();
            })
        );
    }

    /** Types at human speed. */
    async type(text: string): Promise<void> {
        for (const character of text) {
            this.program.write(character);
            await pause(character === " " ? 90 : 45);
        }
    }

    press(key: string): void {
        this.program.write(key);
    }

    async waitFor(pattern: RegExp, limitMs = 20_000): Promise<void> {
        const isThere = (): boolean => pattern.test(this.text());
        if (isThere()) return;
        await new Promise<void>((resolve, reject) => {
            const timer = setTimeout(() => {
                reject(new Error(`Waited for ${pattern}:\n${this.text()}`));
            }, limitMs);
            this.watchers.push(() => {
                if (!isThere()) return;
                clearTimeout(timer);
                resolve();
            });
        });
        this.watchers = [];
    }

    close(): void {
        this.program.kill("SIGKILL");
    }

    /** Renders the current screen. */
    still(label: string): string {
        const frame = this.frame();
        const last = frame.findLastIndex((row) => row !== "");
        const rows = frame.slice(0, last + 1).map((row, index) => textRow(row, index));
        return this.picture(rows, "", label, last + 1);
    }

    /**
     * Renders everything since the first frame; without animation support, shows the last frame.
     */
    animation(label: string): string {
        const times = this.times();
        const total = (times.at(-1) ?? 0) + LAST_PAUSE_MS;
        const shows = Array.from({ length: this.options.rows }, (_, row) =>
            this.showsOf(row, times, total)
        ).flat();
        const percent = (at: number): string => `${((100 * at) / total).toFixed(2)}%`;
        const rules = shows.flatMap(({ from, to }, index) => {
            if (from === 0 && to === total) return [];
            const start = from === 0 ? "" : `0%{opacity:0}`;
            const end = to === total ? "" : `${percent(to)},to{opacity:0}`;
            return `@keyframes f${index}{${start}${percent(from)}{opacity:1}${end}}.f${index}{animation-name:f${index}${to === total ? "" : ";opacity:0"}}`;
        });
        const style = `text{animation:0s step-end infinite;animation-duration:${total}ms}${rules.join("")}@media(prefers-reduced-motion:reduce){text{animation:none!important}}`;
        const rows = shows.map(({ content, row }, index) => textRow(content, row, `f${index}`));
        return this.picture(rows, `<style>${style}</style>`, label, this.options.rows);
    }

    /** Start time of each frame, from 0, with long pauses cut. */
    private times(): number[] {
        let time = 0;
        return this.frames.map(({ at }, index) => {
            const before = this.frames[index - 1]?.at ?? at;
            time += Math.min(at - before, MAX_PAUSE_MS);
            return time;
        });
    }

    /** What one row shows, and when. */
    private showsOf(row: number, times: readonly number[], total: number) {
        const shows: { content: string; row: number; from: number; to: number }[] = [];
        for (const [index, { frame }] of this.frames.entries()) {
            const content = frame[row] ?? "";
            const [from = 0, to = total] = [times[index], times[index + 1]];
            const last = shows.at(-1);
            if (last?.content === content && last.to === from) last.to = to;
            else if (from < to) shows.push({ content, row, from, to });
        }
        return shows.filter(({ content }) => content !== "");
    }

    private picture(rows: readonly string[], style: string, label: string, height: number): string {
        const width = Math.ceil(this.options.columns * CELL.width + 2 * PADDING);
        const pixels = height * CELL.height + 2 * PADDING;
        return [
            `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${pixels}" role="img" aria-label="${label}">`,
            style,
            `<rect x=".5" y=".5" width="${width - 1}" height="${pixels - 1}" rx="8" fill="${PAPER}" stroke="#30363d"/>`,
            `<g font-family="${FONT}" font-size="14" fill="${INK}">`,
            ...rows,
            "</g></svg>\n",
        ].join("\n");
    }

    private shoot(): void {
        const frame = this.frame();
        const last = this.frames.at(-1);
        // Start with the first visible content.
        if (!last && this.text().trim() === "") return;
        if (last && frame.every((row, index) => row === last.frame[index])) return;
        this.frames.push({ at: Date.now(), frame });
    }

    private text(): string {
        return this.lines()
            .map((line) => line?.translateToString(true) ?? "")
            .join("\n");
    }

    private lines() {
        const { active } = this.emulator.buffer;
        const { rows } = this.options;
        return Array.from({ length: rows }, (_, row) => active.getLine(active.baseY + row));
    }

    private frame(): Frame {
        const { cursorX, cursorY } = this.emulator.buffer.active;
        return this.lines().map((line, row) =>
            runsOf(cellsOf(line, this.options.columns), row === cursorY ? cursorX : undefined)
        );
    }
}

export const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => setTimeout(resolve, milliseconds));

type Line = ReturnType<InstanceType<typeof xterm.Terminal>["buffer"]["active"]["getLine"]>;

interface Cell {
    readonly text: string;
    readonly width: number;
    readonly style: string;
    readonly column: number;
}

function cellsOf(line: Line, columns: number): Cell[] {
    if (!line) return [];
    return Array.from({ length: columns }, (_, column) => column).flatMap((column) => {
        const cell = line.getCell(column);
        if (!cell || cell.getWidth() === 0) return [];
        const colour = cell.isFgPalette() ? paletteColour(cell.getFgColor()) : "";
        const fill = cell.isFgRGB()
            ? `#${cell.getFgColor().toString(16).padStart(6, "0")}`
            : colour;
        const style = [
            ...(fill ? [`fill="${fill}"`] : []),
            ...(cell.isBold() ? ['font-weight="bold"'] : []),
            ...(cell.isDim() ? ['opacity=".6"'] : []),
            ...(cell.isItalic() ? ['font-style="italic"'] : []),
            // Underlined, because reversed cells would each need a rectangle.
            ...(cell.isUnderline() || cell.isInverse() ? ['text-decoration="underline"'] : []),
        ].join(" ");
        return { text: cell.getChars() || " ", width: cell.getWidth(), style, column };
    });
}

function paletteColour(index: number): string {
    return COLOURS[index] ?? BRIGHT[index - 8] ?? INK;
}

/**
 * Merges cells of one style into a run, positioned by column, so that the font's width does not
 * matter.
 */
function runsOf(cells: readonly Cell[], cursor: number | undefined): string {
    const runs: { text: string; style: string; column: number; width: number }[] = [];
    for (const { text, style, column, width } of cells) {
        const last = runs.at(-1);
        if (last?.style === style) {
            last.text += text;
            last.width += width;
        } else {
            runs.push({ text, style, column, width });
        }
    }
    const shown = runs.flatMap(({ text, style, column }) => {
        const trimmed = text.trim();
        if (trimmed === "") return [];
        const indent = text.length - text.trimStart().length;
        const x = (PADDING + (column + indent) * CELL.width).toFixed(1);
        const length = (trimmed.length * CELL.width).toFixed(1);
        const attributes = style === "" ? "" : ` ${style}`;
        return `<tspan x="${x}" textLength="${length}"${attributes}>${escaped(trimmed)}</tspan>`;
    });
    if (cursor === undefined) return shown.join("");
    const x = (PADDING + cursor * CELL.width).toFixed(1);
    return [...shown, `<tspan x="${x}" fill="${INK}" opacity=".7">▏</tspan>`].join("");
}

function textRow(content: string, row: number, name?: string): string {
    const y = PADDING + (row + 0.75) * CELL.height;
    const attribute = name === undefined ? "" : ` class="${name}"`;
    return content === "" ? "" : `<text y="${y}"${attribute}>${content}</text>`;
}

function escaped(text: string): string {
    return text
        .replaceAll(" ", "\u00a0")
        .replaceAll("&", "&amp;")
        .replaceAll("<", "&lt;")
        .replaceAll(">", "&gt;");
}
