import { writeFileSync } from "node:fs";
import path from "node:path";
import { readShortFile } from "../../base/read-regular-file.js";
import { quote } from "../../base/shell-quote.js";
import { cleanEnvironment, type Variables, variablesIn } from "./clean-environment.js";
import type { ShellState } from "./containment.js";
import { QUIET_TOOLS } from "./quiet-tools.js";

const GIT_SETTINGS: readonly (readonly [string, string])[] = [
    // Git compares a hidden file's stand-in by size and mtime only; these match the original.
    ["core.checkStat", "minimal"],
    ["core.trustctime", "false"],
    // A commit must not remove objects, which nobody could review.
    ["gc.auto", "0"],
    ["maintenance.auto", "false"],
];

/** The command may have put anything here: a link, a pipe, a gigabyte. */
const MAX_LEFT = 1024 * 1024;

/** Fails on purpose, to learn the error messages of the command's locale. */
const refusals = (at: PathOf) =>
    `{ \\builtin : >/north || \\builtin : <${at("closed")} || \\builtin : <${at("none")} || \\builtin :; } 2>${at("refusals")}
`;

/**
 * Sources the command, so that aliases and functions work as in the session. A trap reports its
 * final state, even if the command calls `exit`.
 */
function startScript({ first = "", root }: Exchange, at: PathOf, folder: string): string {
    const elsewhere = `North: cannot enter ${folder}; this ran in ${root}.`;
    return [
        first,
        "\\builtin shopt -s expand_aliases",
        `\\builtin . ${at("state")}`,
        `\\builtin cd -P -- ${quote(folder)} 2>/dev/null || { \\builtin echo ${quote(elsewhere)} >&2; \\builtin cd -P -- ${quote(root)}; } || \\builtin exit 1`,
        `\\builtin trap ${quote(`\\builtin . ${at("report")}`)} EXIT`,
        `\\builtin . ${at("command")}`,
        "",
    ].join("\n");
}

const report = (at: PathOf) => `
\\builtin set +eu
\\builtin cd -P . 2>/dev/null
\\builtin compgen -e >|${at("names")}
{
    \\builtin printf '%s\\0' "$PWD"
    while IFS= \\builtin read -r NORTH_NAME; do
        \\builtin printf '%s=%s\\0' "$NORTH_NAME" "\${!NORTH_NAME}"
    done <${at("names")}
} >|${at("left")}
`;

/** The path of a file of the exchange as the command sees it, quoted. */
type PathOf = (name: string) => string;

interface Exchange {
    readonly folder: string;
    /** Where the command sees it. */
    readonly path: string;
    /** Where it starts if its folder is gone. */
    readonly root: string;
    /** Bash that runs before anything of the session's. */
    readonly first?: string;
}

/** The file that bash reads the command from, in the exchange. */
export function scriptIn(place: string): string {
    return path.join(place, "command");
}

interface StartedCommand {
    readonly command: string;
    readonly state: ShellState;
}

/** Writes the command and its initial state to the folder it shares with North. */
export function writeStart(
    exchange: Exchange,
    { command, state: { folder, variables, definitions } }: StartedCommand,
    more: Readonly<Record<string, string>> = {}
): Variables {
    const at = (name: string) => quote(path.join(exchange.path, name));
    const clean = cleanEnvironment(variables);
    addGitSettings(clean);
    for (const [name, value] of Object.entries(QUIET_TOOLS)) {
        if (!clean.has(name)) clean.set(name, value);
    }
    for (const each of Object.entries(more)) clean.set(...each);
    const exports = [...clean].map(([name, value]) => `\\builtin export ${name}=${quote(value)}\n`);
    // Bash warns of each locale that is not installed.
    const state = `{\n\\builtin unset LC_ALL\n${exports.join("")}} 2>/dev/null`;
    const files = {
        state: `${state}\n${refusals(at)}${definitions}\n`,
        command: `${command}\n`,
        report: report(at),
        start: startScript(exchange, at, folder),
    };
    for (const [name, content] of Object.entries(files)) {
        writeFileSync(path.join(exchange.folder, name), content, { mode: 0o600, flag: "wx" });
    }
    writeFileSync(path.join(exchange.folder, "closed"), "", { mode: 0, flag: "wx" });
    return clean;
}

/** After the session's own, so that these count. */
function addGitSettings(clean: Map<string, string>): void {
    const count = Number(clean.get("GIT_CONFIG_COUNT") ?? 0);
    if (!Number.isInteger(count) || count < 0) return;
    GIT_SETTINGS.forEach(([key, value], index) => {
        clean.set(`GIT_CONFIG_KEY_${count + index}`, key);
        clean.set(`GIT_CONFIG_VALUE_${count + index}`, value);
    });
    clean.set("GIT_CONFIG_COUNT", String(count + GIT_SETTINGS.length));
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
