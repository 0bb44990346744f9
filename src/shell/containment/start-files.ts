import { writeFileSync } from "node:fs";
import path from "node:path";
import { readShortFile } from "../../base/read-regular-file.js";
import { quote } from "../quote.js";
import { cleanEnvironment, type Variables, variablesIn } from "./clean-environment.js";
import type { SessionState } from "./containment.js";
import { QUIET_TOOLS } from "./quiet-tools.js";

/** Makes git compare a hidden file's stand-in by size and mtime only; these match the original. */
const GIT_SETTINGS: readonly (readonly [string, string])[] = [
    ["GIT_CONFIG_COUNT", "2"],
    ["GIT_CONFIG_KEY_0", "core.checkStat"],
    ["GIT_CONFIG_VALUE_0", "minimal"],
    ["GIT_CONFIG_KEY_1", "core.trustctime"],
    ["GIT_CONFIG_VALUE_1", "false"],
];

/** The command may have put anything here: a link, a pipe, a gigabyte. */
const MAX_LEFT = 1024 * 1024;

/** Fails on purpose, to learn the error messages of the command's locale. */
const REFUSALS = `{ \\builtin : >/north || \\builtin : </run/north/closed || \\builtin : </run/north/none || \\builtin :; } 2>/run/north/refusals
`;

/**
 * Sources the command, so that aliases and functions work as in the session. A trap reports its
 * final state, even if the command calls `exit`.
 */
function startScript(folder: string): string {
    return [
        // The supervisor has something left to do.
        "\\builtin echo >&8; \\builtin read -r -u 7; exec 7<&- 8>&-",
        "\\builtin shopt -s expand_aliases",
        "\\builtin . /run/north/state",
        `\\builtin cd -P -- ${quote(folder)} || \\builtin exit 1`,
        "\\builtin trap '\\builtin . /run/north/report' EXIT",
        "\\builtin . /run/north/command",
        "",
    ].join("\n");
}

const REPORT = `
\\builtin set +eu
\\builtin cd -P . 2>/dev/null
\\builtin compgen -e >|/run/north/names
{
    \\builtin printf '%s\\0' "$PWD"
    while IFS= \\builtin read -r NORTH_NAME; do
        \\builtin printf '%s=%s\\0' "$NORTH_NAME" "\${!NORTH_NAME}"
    done </run/north/names
} >|/run/north/left
`;

/** Writes the command and its initial state to the folder it shares with North. */
export function writeStart(
    exchange: string,
    command: string,
    { folder, variables, definitions }: SessionState
): Variables {
    const clean = cleanEnvironment(variables);
    if (!clean.has("GIT_CONFIG_COUNT")) for (const each of GIT_SETTINGS) clean.set(...each);
    for (const [name, value] of Object.entries(QUIET_TOOLS)) {
        if (!clean.has(name)) clean.set(name, value);
    }
    const exports = [...clean].map(([name, value]) => `\\builtin export ${name}=${quote(value)}\n`);
    const files = {
        state: `\\builtin unset LC_ALL\n${exports.join("")}${REFUSALS}${definitions}\n`,
        command: `${command}\n`,
        report: REPORT,
        start: startScript(folder),
    };
    for (const [name, content] of Object.entries(files)) {
        writeFileSync(path.join(exchange, name), content, { mode: 0o600, flag: "wx" });
    }
    writeFileSync(path.join(exchange, "closed"), "", { mode: 0, flag: "wx" });
    return clean;
}

/** Reads the command's final state: its folder and exports. */
export function readLeft(exchange: string): { folder: string; variables: Variables } | undefined {
    const text = readShortFile(path.join(exchange, "left"), MAX_LEFT);
    if (text === undefined || !text.endsWith("\0")) return undefined;
    const [folder = "", ...entries] = text.slice(0, -1).split("\0");
    return { folder, variables: variablesIn(entries) };
}

/** The kernel's refusals in the command's locale. */
export interface RefusalWords {
    readonly readOnly: string | undefined;
    readonly denied: string | undefined;
    readonly missing: string | undefined;
}

export function readRefusalWords(exchange: string): RefusalWords {
    const [readOnly, denied, missing] = (
        readShortFile(path.join(exchange, "refusals"), MAX_LEFT) ?? ""
    )
        .split("\n")
        .map((line) => line.slice(line.lastIndexOf(": ") + 2).trim() || undefined);
    return { readOnly, denied, missing };
}
