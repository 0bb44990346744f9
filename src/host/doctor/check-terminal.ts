import { colourLevel } from "../../chat/terminal/theme.js";
import { ok, warning, type Check } from "./check.js";

const FEWEST_COLUMNS = 60;
const COLOURS = ["no colour", "16 colours", "256 colours", "true colour"];

/** What the chat would find in this terminal. */
export function checkTerminal(output: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): Check {
    const name = "terminal";
    if (!output.isTTY) return ok(name, "not one: output goes to a file or a pipe");
    const { TERM = "" } = environment;
    const { columns, rows } = output;
    const colour = COLOURS[colourLevel(output, environment)] ?? "";
    const found = [TERM || "TERM is not set", colour, `${columns}x${rows}`].join(", ");
    if (TERM === "" || TERM === "dumb") {
        const next = "Set TERM to what the terminal is (`xterm-256color` fits most).";
        return warning(name, `${found}: the line being typed cannot be redrawn`, next);
    }
    if (!isUtf8(environment)) {
        const next = "Set LANG to a UTF-8 locale, such as C.UTF-8.";
        return warning(name, `${found}, not UTF-8`, next);
    }
    if (columns < FEWEST_COLUMNS) {
        return warning(name, found, `Widen it to ${FEWEST_COLUMNS} columns or more to read diffs.`);
    }

    return ok(name, `${found}, UTF-8`);
}

function isUtf8({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv): boolean {
    // On macOS a terminal may set none of them and is UTF-8 all the same.
    const locale = LC_ALL || LC_CTYPE || LANG;
    if (!locale) return process.platform === "darwin";
    return /utf-?8/i.test(locale);
}
