import { isExpectedError } from "../../base/north-error.js";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findBash, shellUnavailable } from "../../shell/find-bash.js";
import { dayOf, needsKey } from "../../core/registry/models.js";
import { absoluteSearchPath } from "../../base/search-path.js";
import { lstat, mkdtemp, rmdir, statfs } from "node:fs/promises";
import path from "node:path";
import type { NorthDirectories } from "../../storage/files/directories.js";
import { isAbsent, systemErrorText } from "../../base/system-error.js";
import type { Provider } from "../../plugin/index.js";
import { type Config, unknownSettings } from "../../storage/config.js";
import { chooseModel } from "../models/choose-model.js";
import { createConnections, findProviderKey } from "../models/connections.js";
import { missingPlugins } from "../models/missing-plugins.js";

export interface DoctorCheck {
    /** The subject, such as `git` or `data folder`. */
    readonly name: string;
    /** `warning`: North works with less. `broken`: something requested does not work. */
    readonly status: "ok" | "warning" | "broken";
    readonly found: string;
    readonly next?: string;
}

export const ok = (name: string, found: string): DoctorCheck => ({ name, status: "ok", found });

const faulty = (status: DoctorCheck["status"]) => (name: string, found: string, next: string) => ({
    name,
    status,
    found,
    next,
});
export const warning = faulty("warning");
export const broken = faulty("broken");

/** Turns an expected error into a finding. Rethrows a bug. */
export function brokenBy(name: string, error: unknown): DoctorCheck {
    if (!isExpectedError(error)) throw error;
    return broken(name, error.message, error.nextSteps.join(" "));
}

const NODE_NEEDED = [20, 19] as const;
/** The oldest that North has been tested with. */
const GIT_NEEDED = [2, 30] as const;
/** The last day with security fixes, by major version: https://github.com/nodejs/Release */
const END_OF_LIFE: Readonly<Record<number, string>> = {
    20: "2026-04-30",
    22: "2027-04-30",
    24: "2028-04-30",
};
const TIME_LIMIT = 3_000;

const run = promisify(execFile);

export function checkPrograms(environment: NodeJS.ProcessEnv): Promise<readonly DoctorCheck[]> {
    return Promise.all([
        checkNode(process.version),
        checkGit(),
        checkRipgrep(environment),
        checkBash(),
    ]);
}

/** Old Node versions run North just as well, but get no security fixes. */
export async function checkNode(version: string, now = Date.now()): Promise<DoctorCheck> {
    const found = version.slice(1);
    if (isOlder(found, NODE_NEEDED)) {
        return broken("Node", found, `Install Node ${NODE_NEEDED.join(".")} or newer.`);
    }
    const end = END_OF_LIFE[Number.parseInt(found)];
    if (end === undefined || dayOf(now) <= end) return ok("Node", found);
    const next = "Install Node 24, which gets security fixes until 2028-04-30. North runs on both.";
    return warning("Node", `${found}, no security fixes since ${end}`, next);
}

function isOlder(version: string, [major, minor]: readonly [number, number]): boolean {
    const [foundMajor = 0, foundMinor = 0] = version.split(".").map(Number);
    return foundMajor < major || (foundMajor === major && foundMinor < minor);
}

async function checkGit(): Promise<DoctorCheck> {
    const version = await versionOf("git", /git version (\S+)/);
    if (version === undefined) {
        const next = "Install git. Without it North cannot list changed files and hot files.";
        return warning("git", "not found on the PATH", next);
    }
    if (!isOlder(version, GIT_NEEDED)) return ok("git", version);
    const needed = GIT_NEEDED.join(".");
    const next = `Install git ${needed} or newer. With this one, worktrees and reviews may fail.`;
    return warning("git", `${version}, older than ${needed}`, next);
}

async function checkRipgrep({ NORTH_DISABLE_RIPGREP }: NodeJS.ProcessEnv): Promise<DoctorCheck> {
    if (NORTH_DISABLE_RIPGREP === "1") {
        const next = "Unset NORTH_DISABLE_RIPGREP for a faster search.";
        return warning("ripgrep", "off; using the slower JavaScript search", next);
    }
    const program = await import("@vscode/ripgrep").then(
        ({ rgPath }) => rgPath,
        () => undefined
    );
    const version = program && (await versionOf(program, /ripgrep (\S+)/));
    if (version) return ok("ripgrep", version);
    const next =
        "Install North again with its optional packages. Until then it uses the slower JavaScript search.";
    return warning("ripgrep", "does not run", next);
}

async function checkBash(): Promise<DoctorCheck> {
    try {
        const bash = await findBash(process.env.PATH);
        if ((await versionOf(bash, /version (\S+)/)) === undefined) throw shellUnavailable();
        return ok("bash", bash);
    } catch (error) {
        return brokenBy("bash", error);
    }
}

/** `undefined` if the program is missing or fails. */
async function versionOf(program: string, pattern: RegExp): Promise<string | undefined> {
    const env = { ...process.env, PATH: absoluteSearchPath() };
    try {
        const { stdout } = await run(program, ["--version"], { env, timeout: TIME_LIMIT });
        return pattern.exec(stdout)?.[1];
    } catch {
        return undefined;
    }
}

const MEGABYTE = 1024 * 1024;
/** Enough for several conversations with their file contents. */
const ENOUGH = 100 * MEGABYTE;
const TOO_LITTLE = 5 * MEGABYTE;

/** Without these nothing can be said, edited or allowed. */
const IN_DATA = ["conversations", "objects", "applying", "projects"];

export function checkFolders(folders: NorthDirectories): Promise<readonly DoctorCheck[]> {
    return Promise.all([
        checkFolder("config folder", folders.config, "NORTH_CONFIG_DIR"),
        checkFolder("data folder", folders.data, "NORTH_DATA_DIR", IN_DATA),
        checkFolder("state folder", folders.state, "NORTH_STATE_DIR"),
    ]);
}

async function checkFolder(
    name: string,
    folder: string,
    variable: string,
    inner: readonly string[] = []
): Promise<DoctorCheck> {
    const elsewhere = `or set ${variable} to a writable folder.`;
    let tried = folder;
    try {
        for (tried of [folder, ...inner.map((each) => path.join(folder, each))]) {
            // Mode bits miss ACLs, read-only mounts and quotas.
            const made = await mkdtemp(path.join(await nearestExisting(tried), ".north-doctor-"));
            await rmdir(made);
        }
        const existing = await nearestExisting(folder);
        const { bavail, bsize } = await statfs(existing);
        const free = bavail * bsize;
        const note = existing === folder ? "" : " (not created yet)";
        if (free >= ENOUGH) return ok(name, `${folder}${note}`);
        const found = `${folder}: ${Math.floor(free / MEGABYTE)} MB free`;
        const next = `Free some space on that disk, ${elsewhere}`;
        return free < TOO_LITTLE ? broken(name, found, next) : warning(name, found, next);
    } catch (error) {
        const found = `${tried} is not writable (${systemErrorText(error)})`;
        return broken(name, found, `Check what is there and who owns it, ${elsewhere}`);
    }
}

/** The folder, or the existing parent it would be created in. */
async function nearestExisting(folder: string): Promise<string> {
    try {
        // A link that leads nowhere is in the way, too.
        await lstat(folder);
        return folder;
    } catch (error) {
        if (!isAbsent(error)) throw error;
        return nearestExisting(path.dirname(folder));
    }
}

/** Lists which providers have a key and its source, never the key. */
export async function checkProviders(
    providers: readonly Provider[],
    settings: Config,
    environment: NodeJS.ProcessEnv,
    configFolder: string
): Promise<readonly DoctorCheck[]> {
    const wanting = providers.filter(needsKey);
    try {
        const keys = await Promise.all(
            wanting.map(async (provider) => {
                const key = await findProviderKey(provider, environment, configFolder);
                const { id, keyVariable } = provider;
                return { id, source: key && sourceOf(key.source, keyVariable) };
            })
        );
        return [
            describeKeys(keys),
            ...missingPlugins(providers, environment).map(({ found, next }) =>
                warning("keys", found, next)
            ),
            await checkModel(providers, settings, environment, configFolder),
        ];
    } catch (error) {
        return [brokenBy("keys", error)];
    }
}

function describeKeys(keys: readonly { id: string; source: string | undefined }[]): DoctorCheck {
    const found = keys.filter(({ source }) => source !== undefined);
    if (found.length > 0) {
        return ok("keys", found.map(({ id, source }) => `${id}: ${source}`).join(", "));
    }
    const next = "Run `north login`, or set ANTHROPIC_API_KEY; until then the chat is offline.";
    return warning("keys", "none", next);
}

function sourceOf(source: "environment" | "keychain" | "file", variable = ""): string {
    return { environment: variable, keychain: "the keychain", file: "credentials.json" }[source];
}

async function checkModel(
    providers: readonly Provider[],
    { selectedModel: remembered }: Config,
    environment: NodeJS.ProcessEnv,
    configFolder: string
): Promise<DoctorCheck> {
    const connections = createConnections(environment, configFolder);
    const candidates = remembered === undefined ? {} : { remembered };
    const chosen = await chooseModel(candidates, providers, connections);
    if (!chosen) return ok("model", "the offline stand-in");
    const { provider, model, notice } = chosen;
    const found = `${model.displayName} (${provider.id})`;
    if (notice !== undefined) return warning("model", notice, "Choose another with /model.");
    if (await connections.hasKey(provider)) return ok("model", found);
    const next = `Run \`north login ${provider.id}\`, or choose another with /model.`;
    return warning("model", `${found} has no key`, next);
}

/** Unreadable settings become a finding, so that the doctor can check the rest. */
export async function settingsOr(
    read: Promise<Config>
): Promise<{ readonly settings: Config; readonly check: DoctorCheck }> {
    try {
        const settings = await read;
        const found = Object.keys(settings).filter((name) => settings[name] !== undefined);
        const unknown = unknownSettings(settings).map(({ name }) => name);
        if (unknown.length > 0) {
            const next = "North ignores them: remove them, or check their spelling.";
            return { settings, check: warning("settings", `unknown: ${unknown.join(", ")}`, next) };
        }
        return { settings, check: ok("settings", found.join(", ") || "none") };
    } catch (error) {
        if (!isExpectedError(error)) throw error;
        return { settings: {}, check: brokenBy("settings", error) };
    }
}
