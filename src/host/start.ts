import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir, userInfo } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { Config, Errors, flush, handle, run, settings } from "@oclif/core";
import { isExpectedError, NorthError } from "../base/north-error.js";
import { typeable } from "../base/north-command.js";
import { packageRoot } from "../base/package-root.js";
import { parseUrl } from "../base/parse-url.js";
import { showControls } from "../base/safe-text.js";
import { absoluteSearchPath } from "../base/search-path.js";
import { printToStderr } from "../base/stderr.js";
import { withTimeLimit } from "../base/waiting.js";
import type { ExpectedError } from "../plugin/index.js";
import { northDirectories, requireAbsoluteFolders } from "../storage/files/directories.js";
import { handleOutputFailures } from "./command-line/output-failures.js";
import { nameFaultyPlugin } from "./command-line/name-faulty-plugin.js";
import { exitCodeOf, foreignFailure } from "./command-line/usage-error.js";
import { takeKeys } from "../storage/secrets/key-environment.js";

const HELP_AND_VERSION = new Set(["-h", "--help", "-v", "--version", "help"]);
/** A path, or an archive in the current folder; not a URL. */
const LOCAL_PLUGIN = /^(?:\.{0,2}\/|(?!\w+:).*\.tgz$)/;
const CONVERSATION_ID = /^[0-9a-f]{6}$/;
/** Commands whose output covers plugins too, or that oclif's commands complete. */
const OVERVIEWS = new Set(["completion", "plugins"]);

export async function start(argv: readonly string[]): Promise<void> {
    takeKeys();
    handleOutputFailures();
    logWarnings(process.env);
    // Plugins are JavaScript. By default oclif warns about every linked plugin at each start.
    settings.enableAutoTranspile = false;
    assumeShell(process.env);
    const root = packageRoot();
    try {
        requireAbsoluteFolders(process.env);
        const words = withLocalPlugins(withResumePicker(withDefaultCommand(argv)));
        const pjson = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
        pjson.oclif.additionalHelpFlags = ["-h"];
        // Help, plugin management and completion are plugins that North's own commands do not need.
        if (isOwnCommand(words)) pjson.oclif.plugins = [];
        const config = await Config.load({ root, pjson, devPlugins: false });
        nameFaultyPlugin(config);
        await run(words, config).catch(async (error) => {
            throw words[0] === "plugins"
                ? await namingRegistry(foreignFailure(error, words, config), words)
                : foreignFailure(error, words, config);
        });
        await flushOutput();
    } catch (error) {
        const failure = error instanceof Error ? error : new Error(String(error));
        await handle(isExpectedError(failure) ? await printError(failure) : failure);
    }
}

/** Waits until the output is written. oclif's `flush` never ends once the reader has closed the pipe. */
async function flushOutput(): Promise<void> {
    const { stdout } = process;
    if (stdout.errored) return;
    await Promise.race([flush(), once(stdout, "error")]);
}

/** Names what is in the way: oclif reports a missing plugin whenever npm cannot reach its registry. */
async function namingRegistry(error: Error, words: readonly string[]): Promise<Error> {
    if (isExpectedError(error)) return error;
    const registry = await npmRegistry();
    const { proxyFor } = await import("../provider-kit/proxy.js");
    const proxy = await proxyFor(new URL(registry)).catch(() => undefined);
    if (proxy !== undefined) {
        return new NorthError("plugins-failed", error.message, [
            `npm uses the proxy ${proxy.name}. Can it reach ${registry}?`,
        ]);
    }
    const isByName = words[1] === "install" && !words.some((word) => word.startsWith("file:"));
    if (!isByName || (await answers(registry))) return error;
    return new NorthError("network", `npm's registry ${registry} does not answer.`, [
        "Check the network. A folder or an archive needs no registry: `north plugins install ./NAME.tgz`.",
    ]);
}

async function npmRegistry(): Promise<string> {
    const { findRoot } = await import("../workspace/find-root.js");
    await findRoot(process.cwd());
    const env = { ...process.env, PATH: absoluteSearchPath() };
    // As for plugins, whose npm reads no settings of the project.
    const asked = promisify(execFile)("npm", ["config", "get", "registry"], {
        cwd: homedir(),
        env,
    });
    const said = await asked.then(
        ({ stdout }) => stdout.trim(),
        () => ""
    );
    return parseUrl(said)?.href ?? "https://registry.npmjs.org/";
}

async function answers(url: string): Promise<boolean> {
    return withTimeLimit(5_000, (signal) => fetch(url, { method: "HEAD", signal })).then(
        () => true,
        () => false
    );
}

/** Prints the error and its next steps. Returns the error that exits. */
async function printError(error: ExpectedError): Promise<Error> {
    const { message, nextSteps } = error;
    const { stderr } = process;
    const said = [message, ...nextSteps.map((step) => `  ${step}`)].join("\n");
    const text = showControls(typeable(said));
    const rows = stderr.isTTY
        ? (await import("../chat/render/wrap-prose.js")).wrapProse(text, stderr.columns)
        : [text];
    printToStderr(rows.join("\n"));
    return new Errors.ExitError(exitCodeOf(error));
}

/** `north`, `north --flag` and `north "a question"` mean `north chat ...`. */
function withDefaultCommand(argv: readonly string[]): string[] {
    const [first] = argv;
    if (first === "-h") return ["--help", ...argv.slice(1)];
    const isChat =
        first === undefined ||
        (first.startsWith("-") && !HELP_AND_VERSION.has(first)) ||
        first.includes(" ");
    return isChat ? ["chat", ...argv] : [...argv];
}

/** oclif has no flags with optional values: `-r` without an ID means `north resume`. */
function withResumePicker([command = "", ...words]: readonly string[]): string[] {
    const end = words.includes("--") ? words.indexOf("--") : words.length;
    const at = words.findIndex((word, i) => i < end && (word === "-r" || word === "--resume"));
    const next = words[at + 1] ?? "-";
    if (command !== "chat" || at < 0 || CONVERSATION_ID.test(next)) return [command, ...words];
    // Moved to the front, where an error names it as an ID. Without one the other words are the prompt.
    const hasId = !next.startsWith("-");
    return ["resume", hasId ? next : "", ...words.toSpliced(at, hasId ? 2 : 1)];
}

/** oclif would take a path for a GitHub repository. */
function withLocalPlugins(argv: readonly string[]): string[] {
    if (argv[0] !== "plugins" || argv[1] !== "install") return [...argv];
    return argv.map((word) => {
        if (!LOCAL_PLUGIN.test(word)) return word;
        const location = path.resolve(word);
        if (existsSync(location)) return `file:${location}`;
        throw new NorthError("not-found", `${location} does not exist.`, [
            "Check the path. To install a package from npm, give its name: `north plugins install NAME`.",
        ]);
    });
}

function isOwnCommand([first, ...rest]: readonly string[]): boolean {
    if (
        first === undefined ||
        OVERVIEWS.has(first) ||
        rest.some((word) => HELP_AND_VERSION.has(word))
    ) {
        return false;
    }
    const commands = path.join(packageRoot(), "dist", "commands");
    return [first, path.join(first, "index"), path.join(first, rest[0] ?? "")].some((command) =>
        existsSync(path.join(commands, `${command}.cjs`))
    );
}

/** oclif looks up the shell, which fails for a container's user without a passwd entry. */
function assumeShell(environment: NodeJS.ProcessEnv): void {
    if (environment.SHELL !== undefined) return;
    try {
        userInfo();
    } catch {
        environment.SHELL = "/bin/sh";
    }
}

/** Logs warnings of Node and libraries: on stderr they would garble the chat's screen. */
function logWarnings(environment: NodeJS.ProcessEnv): void {
    process.removeAllListeners("warning");
    process.on("warning", ({ name, message, stack }) => {
        void log(environment, { name, message, stack });
    });
}

async function log(environment: NodeJS.ProcessEnv, warning: Record<string, unknown>) {
    const { openLog } = await import("../storage/files/log-file.js");
    const { keysIn } = await import("./models/connections.js");
    const { state, config } = northDirectories(environment);
    const redact = keysIn(environment, config);
    openLog({ stateFolder: state, level: "info", redact }).event("error", "warning", warning);
}
