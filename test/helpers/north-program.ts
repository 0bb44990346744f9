/** Runs the built program as a user does, with its own home and repository. */
import { type ChildProcess, execFileSync, spawn, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { northCommand } from "../../src/base/north-command.js";
import { projectFolder } from "../../src/storage/files/directories.js";
import type { JournalRecord } from "../../src/plugin/records.js";
import { PATIENCE_MS, patient } from "./patience.js";
import { openTerminal, type PseudoTerminal, type TerminalOptions } from "./pseudo-terminal.js";
import { type ProgramEnd, runInResident } from "./resident-north.js";

export type { ProgramEnd } from "./resident-north.js";

/** Overridable, for example to test an installed package. */
export const PROGRAM = path.resolve(process.env.NORTH_PROGRAM ?? "bin/run.js");

const MAX_START_SECONDS = patient(20);
const TOP = process.env.NORTH_TEST_TOP ?? homedir();
/** Shared code cache of earlier tests; without it each start takes half as long again. */
const COMPILED = path.join(TOP, "compiled");
/** Git's template without its fourteen examples of hooks, which each test would write and delete. */
const TEMPLATE = path.join(TOP, "template");
/** A port without a listener. */
const UNREACHABLE_URL = "http://127.0.0.1:9";

const INTERNAL_FILES =
    /^\.git(?:\/|$)|^\.north\/\.?(?:cache\.json|\.gitignore)(?:\.north-\d+-[0-9a-f]{12}\.tmp)?$/;

export interface RunOptions {
    /** Added to the workplace's environment; `undefined` removes a variable. */
    readonly env?: Readonly<Record<string, string | undefined>>;
    /** A text, an open pipe, or a file. Default: no input. */
    readonly stdin?: { readonly text: string } | "open" | { readonly file: string };
    readonly cwd?: string;
    /** A command that runs the program, such as `["unshare", "-r"]`. */
    readonly under?: readonly string[];
}

/** Options of the program in a terminal. */
export type OpenOptions = Pick<RunOptions, "env"> &
    Pick<TerminalOptions, "term" | "columns" | "rows">;

export interface RunningProgram {
    readonly pid: number;
    readonly ended: Promise<ProgramEnd>;
    /** Stdout so far. */
    stdout(): string;
    /** Writes to its open stdin. */
    write(text: string): void;
    /** Closes its stdin. */
    finishInput(): void;
    kill(signal: NodeJS.Signals): void;
}

/** A temporary home and repository with North. Remove it in `afterEach`. */
export class Workplace {
    readonly folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "north-e2e-")));
    readonly home = path.join(this.folder, "home");
    readonly repository = path.join(this.folder, "repository");
    /** The temporary folder of North and its commands. */
    readonly temporary = path.join(this.folder, "tmp");
    readonly data = path.join(this.home, ".north");
    private readonly compiled = path.join(this.home, ".local/state/north/code");
    private readonly running = new Set<ChildProcess>();
    private readonly terminals: PseudoTerminal[] = [];
    private reuse: { readonly keepsPlugins: boolean } | undefined;
    private readonly residentRuns = new Set<{ kill(): void }>();

    constructor(
        files: Readonly<Record<string, string>> = {},
        private readonly sharesCompiled = true
    ) {
        for (const made of [this.home, this.repository, this.temporary]) fs.mkdirSync(made);
        for (const name of ["hooks", "info"]) {
            fs.mkdirSync(path.join(TEMPLATE, name), { recursive: true });
        }
        const env = this.environment({ GIT_TEMPLATE_DIR: TEMPLATE });
        execFileSync("git", ["init", "-q"], { cwd: this.repository, env });
        for (const [file, content] of Object.entries(files)) this.write(file, content);
        this.declineLearning();
        this.configure({});
        if (sharesCompiled) copyCompiled(COMPILED, this.compiled);
    }

    /** Declines the offer to learn the repository. */
    private declineLearning(): void {
        const folder = projectFolder(this.data, this.repository);
        fs.mkdirSync(folder, { recursive: true });
        fs.writeFileSync(path.join(folder, "declined.json"), "{}");
    }

    /** The program's whole environment, without keys or a route to any vendor. */
    environment(extra: RunOptions["env"] = {}): Record<string, string> {
        const all = {
            PATH: process.env.PATH,
            LANG: "C.UTF-8",
            HOME: this.home,
            TMPDIR: this.temporary,
            COLUMNS: "100",
            NO_COLOR: "1",
            GIT_CONFIG_GLOBAL: "/dev/null",
            GIT_CONFIG_SYSTEM: "/dev/null",
            ANTHROPIC_BASE_URL: UNREACHABLE_URL,
            // JSON, so that tests can inspect results; test/e2e/results.test.ts covers text.
            NORTH_RESULTS: "json",
            ...extra,
        };
        return Object.fromEntries(
            Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
        );
    }

    /** What the program tells people to type in the repository to start it again. */
    get northCommand(): string {
        return northCommand(process.env.PATH, PROGRAM, this.repository);
    }

    start(args: readonly string[], options: RunOptions = {}): RunningProgram {
        const [command = "", ...rest] = [...(options.under ?? []), process.execPath, PROGRAM];
        const child = spawn(command, [...rest, ...args], {
            cwd: options.cwd ?? this.repository,
            env: this.environment(options.env),
            stdio: stdioOf(options.stdin),
        });
        this.running.add(child);
        if (typeof options.stdin === "object" && "text" in options.stdin) {
            // A program that does not read all of it closes the pipe.
            child.stdin?.on("error", () => {}).end(options.stdin.text);
        }
        const stdout = collect(child.stdout);
        const stderr = collect(child.stderr);
        const ended = once(child, "close").then(([code, signal]): ProgramEnd => {
            this.running.delete(child);
            return { code, signal, stdout: stdout(), stderr: stderr() };
        });
        return {
            pid: child.pid ?? 0,
            ended,
            stdout,
            write: (text) => void child.stdin?.write(text),
            finishInput: () => void child.stdin?.end(),
            kill: (signal) => void child.kill(signal),
        };
    }

    /**
     * From now on `run` takes a process that earlier runs have used, at a third of the cost. Not for
     * tests of a process: its signals, limits and memory, and what others see of it.
     */
    reusingProcess({ keepsPlugins = false } = {}): this {
        this.reuse = { keepsPlugins };
        return this;
    }

    async run(args: readonly string[], options: RunOptions = {}): Promise<ProgramEnd> {
        const { cwd = this.repository, env, stdin, under } = options;
        const isPlain = !stdin && !under && !/^(?:-v|--version)$/.test(args[0] ?? "");
        const run =
            this.reuse && isPlain
                ? runInResident(PROGRAM, {
                      argv: args,
                      cwd,
                      env: this.environment(env),
                      ...this.reuse,
                  })
                : undefined;
        if (run === undefined) return this.start(args, options).ended;
        this.residentRuns.add(run);
        return run.ended.finally(() => this.residentRuns.delete(run));
    }

    /**
     * Runs until a time limit ends the run. Retries with a longer limit until the run got far
     * enough, for slow machines.
     */
    async runIntoLimit(
        args: readonly string[],
        options: RunOptions,
        hadBegun: (end: ProgramEnd) => boolean
    ): Promise<ProgramEnd> {
        for (let seconds = 1.5; ; seconds *= 2) {
            const end = await this.start([...args, "--timeout", String(seconds)], options).ended;
            if (hadBegun(end) || seconds > MAX_START_SECONDS) return end;
        }
    }

    /** Opens the program in a terminal. */
    open(args: readonly string[] = [], { env, ...look }: OpenOptions = {}): PseudoTerminal {
        const terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM, ...args],
            cwd: this.repository,
            env: this.environment(env),
            columns: 100,
            rows: 40,
            ...look,
        });
        this.terminals.push(terminal);
        return terminal;
    }

    /**
     * Writes the user's `config.json`; returns its path. By default commands are not contained but
     * need approval, as most tests expect.
     */
    configure(content: object): string {
        const file = path.join(this.home, ".config", "north", "config.json");
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, JSON.stringify({ containment: "off", ...content }));
        return file;
    }

    write(file: string, content: string): void {
        const place = path.join(this.repository, file);
        fs.mkdirSync(path.dirname(place), { recursive: true });
        fs.writeFileSync(place, content);
    }

    /**
     * All files of the repository by path, except git's own, North's cache, and leftovers of a
     * killed cache write, which the next North sweeps.
     */
    files(): Record<string, string> {
        const names = fs.readdirSync(this.repository, { recursive: true, encoding: "utf8" });
        return Object.fromEntries(
            names
                .filter((name) => !INTERNAL_FILES.test(name))
                .sort()
                .flatMap((name) => contentOf(this.place(name)).map((content) => [name, content]))
        );
    }

    place(file: string): string {
        return path.join(this.repository, file);
    }

    conversationFile(id: string): string {
        return path.join(this.data, "conversations", `${id}.jsonl`);
    }

    conversationIds(): string[] {
        const folder = path.join(this.data, "conversations");
        const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
        return names.flatMap((name) => /^([0-9a-f]{6})\.jsonl$/.exec(name)?.[1] ?? []);
    }

    /** The complete records of a conversation's log. */
    records(id: string): JournalRecord[] {
        const lines = fs.readFileSync(this.conversationFile(id), "utf8").split("\n").slice(0, -1);
        return lines.map((line): JournalRecord => JSON.parse(line));
    }

    /** Everything North has written to the home, as one text to search in. */
    writtenAtHome(): string {
        const names = fs.readdirSync(this.home, { recursive: true, encoding: "utf8" });
        return names.flatMap((name) => contentOf(path.join(this.home, name))).join("\n");
    }

    /** Processes with this workplace's home in their environment. */
    processes(): string[] {
        const variable = `HOME=${this.home}`;
        return fs.existsSync("/proc/self/environ")
            ? linuxProcesses(variable)
            : otherProcesses().filter((line) => line.includes(variable));
    }

    /** Kills what still runs and deletes everything. */
    async remove(): Promise<void> {
        await Promise.all(this.terminals.map((terminal) => terminal.close()));
        for (const run of this.residentRuns) run.kill();
        for (const child of this.running) {
            child.kill("SIGKILL");
            child.stdin?.destroy();
        }
        await Promise.all([...this.running].map((child) => once(child, "close")));
        await eventually(() => this.processes().length === 0, "the end of all processes");
        if (this.sharesCompiled) copyCompiled(this.compiled, COMPILED);
        fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    }
}

/** Copies files that are larger than the existing ones: later programs have compiled more. */
function copyCompiled(from: string, to: string): void {
    for (const name of fs.existsSync(from) ? fs.readdirSync(from) : []) {
        const [source, target] = [path.join(from, name), path.join(to, name)];
        const present = fs.statSync(target, { throwIfNoEntry: false })?.size ?? 0;
        // A partial file of a killed program has its id after a dot.
        if (name.includes(".") || fs.statSync(source).size <= present) continue;
        fs.mkdirSync(to, { recursive: true, mode: 0o700 });
        // A link is enough: a cache is replaced as a whole. Other tests may read it meanwhile.
        fs.linkSync(source, `${target}.${process.pid}`);
        fs.renameSync(`${target}.${process.pid}`, target);
    }
}

/** Resolves once `holds` is true. Rejects after a timeout, naming `what`. */
export async function eventually(holds: () => boolean, what: string): Promise<void> {
    const until = Date.now() + PATIENCE_MS;
    while (!holds()) {
        if (Date.now() > until) throw new Error(`Waited ${PATIENCE_MS} ms for ${what}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
    }
}

/** A file's text; empty for a folder, or a file that North just removed. */
function contentOf(file: string): string[] {
    try {
        return fs.lstatSync(file).isFile() ? [fs.readFileSync(file, "utf8")] : [];
    } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
        throw error;
    }
}

function stdioOf(stdin: RunOptions["stdin"]): StdioOptions {
    if (stdin === undefined) return ["ignore", "pipe", "pipe"];
    if (typeof stdin === "object" && "file" in stdin) {
        return [fs.openSync(stdin.file, "r"), "pipe", "pipe"];
    }

    return ["pipe", "pipe", "pipe"];
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
    const chunks: Buffer[] = [];
    stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString("utf8");
}

function linuxProcesses(variable: string): string[] {
    const ids = fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return ids.flatMap((id) => {
        try {
            const environment = fs.readFileSync(`/proc/${id}/environ`);
            if (!environment.includes(variable)) return [];
            const command = fs.readFileSync(`/proc/${id}/cmdline`, "utf8");
            return `${id} ${command} ${environment.toString()}`.replaceAll("\0", " ");
        } catch {
            // Already exited, or another user's.
            return [];
        }
    });
}

function otherProcesses(): string[] {
    return execFileSync("ps", ["axEww", "-o", "pid=,command="], { encoding: "utf8" }).split("\n");
}
