import { stripControls } from "../../base/safe-text.js";
import type { Theme } from "../terminal/theme.js";
import { counted } from "../../base/format.js";

const MAX_LINES = 20;

export function echoOf(text: string, theme: Theme): string {
    const lines = stripControls(text).split("\n");
    const shown = lines.slice(0, lines.length > MAX_LINES ? MAX_LINES / 2 : MAX_LINES);
    const body = shown.map((line, index) => theme.user(`${index === 0 ? "❯" : " "} ${line}`));
    const more = lines.length - shown.length;
    const note = more > 0 ? [theme.quiet(`  … ${counted(more, "more line")}`)] : [];
    return `\n${[...body, ...note].join("\n")}`;
}
