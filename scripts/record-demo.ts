// Makes docs/demo.svg from the real program: a short session with the offline model in a
// pseudo-terminal, drawn as it stood on the screen. Run after a build:
// node --import tsx scripts/record-demo.ts
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openTerminal, type PseudoTerminal } from "../test/helpers/pseudo-terminal.js";

type Row = ReturnType<PseudoTerminal["styledTranscript"]>[number];

const COLUMNS = 92;
const CELL = { width: 8.4, height: 18 };
const PADDING = 16;
const COLOURS: Readonly<Record<string, string>> = {
    31: "#ff7b72",
    32: "#7ee787",
    33: "#e3b341",
    34: "#79c0ff",
    35: "#d2a8ff",
    36: "#76e3ea",
};

const root = path.dirname(import.meta.dirname);
const home = mkdtempSync(path.join(tmpdir(), "north-demo-"));
try {
    const rows = await record(path.join(home, "greeter"));
    writeFileSync(path.join(root, "docs", "demo.svg"), svgOf(rows));
} finally {
    rmSync(home, { recursive: true, force: true });
}

async function record(project: string): Promise<readonly Row[]> {
    mkdirSync(path.join(project, "src"), { recursive: true });
    const source = 'export function greet(name) {\n    return "Hello, " + name;\n}\n';
    writeFileSync(path.join(project, "src", "greet.js"), source);
    execFileSync("git", ["init", "--quiet"], { cwd: project });
    const terminal = openTerminal({
        command: process.execPath,
        args: [path.join(root, "bin", "run.js")],
        cwd: project,
        columns: COLUMNS,
        rows: 60,
        env: { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8", EDITOR: "vi" },
    });
    try {
        await play(terminal);
        return terminal.styledTranscript();
    } finally {
        terminal.close();
    }
}

async function play(terminal: PseudoTerminal): Promise<void> {
    const idle = /❯ *$/;
    const send = async (text: string): Promise<void> => {
        await terminal.waitFor(idle);
        terminal.type(text);
        await terminal.waitFor(`❯ ${text}`);
        terminal.press("enter");
    };
    await send('replace "Hello, " with "Grüß dich, " in src/greet.js');
    await terminal.waitFor("a accept");
    terminal.press("a");
    await terminal.waitFor("✔ Edited");
    await send("run git status --short > status.txt");
    await terminal.waitFor("d deny");
    terminal.press("d");
    await terminal.waitFor("Reason");
    terminal.type("print it instead");
    await terminal.waitFor("print it instead");
    terminal.press("enter");
    await terminal.waitFor("✘ Denied");
    await send("!git status --short");
    await terminal.waitFor("?? src/");
    await terminal.waitFor(idle);
    terminal.type("now look at @gre");
    await terminal.waitFor("› @src/greet.js");
}

function svgOf(rows: readonly Row[]): string {
    const width = Math.ceil(COLUMNS * CELL.width + 2 * PADDING);
    const height = rows.length * CELL.height + 2 * PADDING;
    const lines = rows.map((row, index) => {
        const y = PADDING + (index + 0.75) * CELL.height;
        return `<text x="${PADDING}" y="${y}" xml:space="preserve">${runsOf(row)}</text>`;
    });
    return [
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="North in a terminal">`,
        `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`,
        `<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3">`,
        ...lines,
        "</g>",
        "</svg>\n",
    ].join("\n");
}

/** Cells of one style become one run, each at its own column, whatever the font's widths are. */
function runsOf(row: Row): string {
    const runs: { text: string; style: string; column: number }[] = [];
    for (const [column, { text, style }] of row.entries()) {
        const last = runs.at(-1);
        if (last?.style === style) last.text += text;
        else runs.push({ text, style, column });
    }
    return runs
        .filter(({ text }) => text.trim() !== "")
        .map(({ text, style, column }) => {
            const x = (PADDING + column * CELL.width).toFixed(1);
            const length = (text.length * CELL.width).toFixed(1);
            return `<tspan x="${x}" textLength="${length}"${attributesOf(style)}>${escaped(text)}</tspan>`;
        })
        .join("");
}

function attributesOf(style: string): string {
    const on = new Map<string, string>();
    for (const code of style.split(";").filter(Boolean)) {
        if (COLOURS[code]) on.set("fill", COLOURS[code]);
        else if (code === "39") on.delete("fill");
        else if (code === "1") on.set("font-weight", "bold");
        else if (code === "2") on.set("opacity", "0.6");
        else if (code === "7") on.set("text-decoration", "underline");
        else if (code === "27") on.delete("text-decoration");
        else if (code === "22") ["font-weight", "opacity"].forEach((name) => on.delete(name));
    }
    return [...on].map(([name, value]) => ` ${name}="${value}"`).join("");
}

function escaped(text: string): string {
    return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
