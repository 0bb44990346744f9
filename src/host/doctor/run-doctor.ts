import type { Config } from "@oclif/core";
import type { Surroundings } from "../surroundings.js";
import { alignColumns } from "../../base/columns.js";
import { counted } from "../../base/format.js";
import { typeable } from "../../base/north-command.js";
import { colourLevel } from "../../chat/terminal/theme.js";
import { readHooks } from "../../storage/hook-settings.js";
import { type Config as Settings, policyIn, readConfig } from "../../storage/config.js";
import type { NorthDirectories } from "../../storage/files/directories.js";
import { OWN_PLUGIN, valuesOf } from "../../core/registry/registry.js";
import { loadRegistry } from "../project/load-plugins.js";
import { findRoot } from "../../workspace/find-root.js";
import { unreadServers } from "../models/missing-plugins.js";
import { checkContainment, describeContainment } from "./check-containment.js";
import {
    broken,
    type DoctorCheck,
    checkFolders,
    checkPrograms,
    checkProviders,
    ok,
    settingsOr,
    warning,
} from "./checks.js";

const FEWEST_COLUMNS = 60;

const COLOURS = ["no colour", "16 colours", "256 colours", "true colour"];

/** Checks everything North needs, without network access or changes. */
export async function runDoctor({
    config,
    directories,
    environment,
    output,
}: Surroundings & { readonly output: NodeJS.WriteStream }): Promise<readonly DoctorCheck[]> {
    const [programs, folders, { settings, check }] = await Promise.all([
        checkPrograms(environment),
        checkFolders(directories),
        settingsOr(readConfig(directories.config)),
    ]);
    const { providers: known, problems } = await loadRegistry(config, { settings });
    const providers = valuesOf(known);
    return [
        ok("North", config.version),
        ...programs,
        checkTerminal(output, environment),
        await checkContainment({ folder: process.cwd(), settings, directories, environment }),
        ...folders,
        check,
        ...checkPolicy(settings),
        ...checkHooks(settings),
        ...(await checkProviders(providers, settings, environment, directories.config)),
        ...(await checkServers(config, directories)),
        ...checkPlugins(config, problems),
    ];
}

/** For `--containment`: what a contained command sees in the current folder. */
export async function describeContainmentHere(
    directories: NorthDirectories,
    environment: NodeJS.ProcessEnv
): Promise<readonly string[]> {
    const settings = await readConfig(directories.config);
    return describeContainment({ folder: process.cwd(), settings, directories, environment });
}

function checkPolicy(settings: Settings): DoctorCheck[] {
    const policy = policyIn(settings);
    return policy ? [ok("policy", `${policy.file}: ${policy.describe().join("; ")}`)] : [];
}

function checkHooks({ hooks: setting }: Settings): DoctorCheck[] {
    const { hooks, problems } = readHooks(setting);
    const next = "Correct it under `hooks` in config.json. Until then it guards nothing.";
    return [
        ...(hooks.length > 0 ? [ok("hooks", counted(hooks.length, "hook"))] : []),
        ...problems.map((problem) => broken("hooks", problem, next)),
    ];
}

async function checkServers({ plugins }: Config, { config }: NorthDirectories) {
    const { root } = await findRoot(process.cwd());
    return unreadServers(plugins, { root, configFolder: config }).map(({ found, next }) =>
        warning("MCP servers", found, next)
    );
}

function checkPlugins(config: Config, problems: readonly string[]): DoctorCheck[] {
    const installed = [...config.plugins.values()]
        .filter(({ name, hooks }) => hooks["north:register"] && name !== OWN_PLUGIN)
        .map(({ name, version }) => `${name} ${version}`);
    const next =
        "Correct config.json, or update the plugin or remove it with `north plugins uninstall`.";
    return [
        ok("plugins", installed.length === 0 ? "none installed" : installed.join(", ")),
        ...problems.map((problem) => broken("plugins", problem, next)),
    ];
}

const MARKS = { ok: "✔", warning: "!", broken: "✘" } as const;

/** One line per finding, with the next step below. */
export function describeChecks(checks: readonly DoctorCheck[]): string {
    const rows = checks.flatMap(({ name, status, found, next }) => [
        [`${MARKS[status]} ${name}`, found],
        ...(next === undefined ? [] : [["", `→ ${typeable(next)}`]]),
    ]);
    return [...alignColumns(rows), "", verdict(checks)].join("\n");
}

function verdict(checks: readonly DoctorCheck[]): string {
    const count = (status: DoctorCheck["status"]): number =>
        checks.filter((check) => check.status === status).length;
    const [failures, warnings] = [count("broken"), count("warning")];
    const noted = counted(warnings, "warning");
    if (failures === 0) return warnings === 0 ? "No problems found." : `North works; ${noted}.`;
    return `${counted(failures, "problem")}, ${noted}.`;
}

function checkTerminal(output: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): DoctorCheck {
    const name = "terminal";
    if (!output.isTTY) return ok(name, "none (output goes to a file or pipe)");
    const { TERM = "" } = environment;
    const { columns, rows } = output;
    const colour = COLOURS[colourLevel(output, environment)] ?? "";
    const found = [TERM || "TERM is not set", colour, `${columns}x${rows}`].join(", ");
    if (TERM === "" || TERM === "dumb") {
        const next = "Set TERM to your terminal's type (`xterm-256color` works for most).";
        return warning(name, `${found}: the input line cannot be redrawn`, next);
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
    // macOS terminals may set none of these and still use UTF-8.
    const locale = LC_ALL || LC_CTYPE || LANG;
    if (!locale) return process.platform === "darwin";
    return /utf-?8/i.test(locale);
}
