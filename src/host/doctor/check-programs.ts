import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findBash } from "../../shell/find-bash.js";
import { dayOf } from "../../core/registry/models.js";
import { absoluteSearchPath } from "../../base/search-path.js";
import { broken, brokenBy, ok, warning, type Check } from "./check.js";

const NODE_NEEDED = [20, 19] as const;
/** The last day with security fixes, by release line: https://github.com/nodejs/Release */
const END_OF_LIFE: Readonly<Record<number, string>> = {
    20: "2026-04-30",
    22: "2027-04-30",
    24: "2028-04-30",
};
/** A program that hangs must not hang the doctor. */
const TIME_LIMIT = 3_000;

const run = promisify(execFile);

/** Node and the programs that North runs. */
export function checkPrograms(environment: NodeJS.ProcessEnv): Promise<readonly Check[]> {
    return Promise.all([
        checkNode(process.version),
        checkGit(),
        checkRipgrep(environment),
        checkBash(),
    ]);
}

/** Old lines of Node run North as well as new ones, but nobody mends them. */
export async function checkNode(version: string, now = Date.now()): Promise<Check> {
    const [major = 0, minor = 0] = version.slice(1).split(".").map(Number);
    const [neededMajor, neededMinor] = NODE_NEEDED;
    const found = version.slice(1);
    if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
        return broken("Node", found, `Install Node ${NODE_NEEDED.join(".")} or newer.`);
    }
    const end = END_OF_LIFE[major];
    if (end === undefined || dayOf(now) <= end) return ok("Node", found);
    const next = "Install Node 24, which gets security fixes until 2028-04-30. North runs on both.";
    return warning("Node", `${found}, no security fixes since ${end}`, next);
}

async function checkGit(): Promise<Check> {
    const version = await versionOf("git", /git version (\S+)/);
    if (version !== undefined) return ok("git", version);
    const next = "Install git. Without it North cannot list changed files and hot files.";
    return warning("git", "not found on the PATH", next);
}

async function checkRipgrep({ NORTH_DISABLE_RIPGREP }: NodeJS.ProcessEnv): Promise<Check> {
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

async function checkBash(): Promise<Check> {
    try {
        return ok("bash", await findBash(process.env.PATH));
    } catch (error) {
        return brokenBy("bash", error);
    }
}

/** `undefined` where the program is missing or fails. */
async function versionOf(program: string, pattern: RegExp): Promise<string | undefined> {
    const env = { ...process.env, PATH: absoluteSearchPath() };
    try {
        const { stdout } = await run(program, ["--version"], { env, timeout: TIME_LIMIT });
        return pattern.exec(stdout)?.[1];
    } catch {
        return undefined;
    }
}
