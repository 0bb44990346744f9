/**
 * Tries escapes, as whoever starts it: in `hostile-place.ts`, with what a session of North runs
 * commands with. Reads attempts from standard input; prints what each one achieved, as JSON.
 */
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ContainedCommands } from "../../../src/host/project/contained-commands.js";
import { openWorkspace } from "../../../src/workspace/open-workspace.js";
import { WithheldSecrets } from "../../../src/host/project/withheld-secrets.js";
import { type OwnedShell, openShell } from "../../../src/shell/open-shell.js";
import {
    type Attempt,
    needsOwnNorth,
    needsSession,
    type Section,
    type SharedTrials,
    type Trials,
} from "./read-attempts.js";
import { Witness } from "./witness.js";
import { patient } from "../../helpers/patience.js";

const PLACE = "/srv";
const SECRET = /hunter2[-\w]*/;
const LATE_MS = 100;
/** More than a command may take. */
const MAX_MS = patient(30_000);
const NEVER_ENDS = "North waits for ever";

/** How many attempts one contained run tries at most. */
const TOGETHER = 12;

/** Stands for what North itself leaves behind once all is over. */
export const LEFTOVERS = "leftovers";

export interface Tried {
    readonly file: string;
    /** Empty if nothing escaped. */
    readonly escapes: readonly string[];
    readonly output: string;
    /** The run's effects were not offered. */
    readonly isRefused?: boolean;
}

const at = (...names: readonly string[]) => path.join(PLACE, ...names);
const home = at("home");
const root = path.join(home, "code/project");
const mark = `north-was-here-${randomBytes(6).toString("hex")}`;
const bus = `/run/user/${process.getuid?.()}/bus`;
const second = ["/media/home", "/usr/src/home"].find((folder) => existsSync(folder)) ?? "/nowhere";
const late = at("outside/late.sock");

const variables = {
    PATH: [`${home}/.local/bin`, `${home}/sdk/bin`, process.env.PATH].join(":"),
    HOME: home,
    TMPDIR: at("tmp"),
    PLACE,
    PROJECT: root,
    NEIGHBOUR: path.join(home, "code/neighbour"),
    OUTSIDE: at("outside"),
    SECOND: second,
    SERVICE: at("outside/service.sock"),
    LATE: late,
    BUS: bus,
    ABSTRACT: mark,
    PIPE: at("outside/pipe"),
    PARENT: String(process.pid),
    MARK: mark,
    GITHUB_TOKEN: "hunter2-token",
    PGPASSWORD: "hunter2-pgpassword",
    DB_PASS: "hunter2-db",
    POSTGRES_URL: "postgres://me:hunter2-url@localhost/db",
    HTTPS_PROXY: "http://me:hunter2-proxy@127.0.0.1:1",
    ...(existsSync(bus) ? { DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus}` } : {}),
};

interface End {
    /** All that the model could read of it. */
    readonly output: string;
    readonly isRefused: boolean;
    readonly isTruncated?: boolean;
}

/** One North in the project. */
class Tries {
    private shell: OwnedShell;
    private readonly commands: ContainedCommands;
    private readonly secrets: WithheldSecrets;

    constructor(
        private readonly environment: NodeJS.ProcessEnv,
        { data = path.join(home, ".north"), limits = {} }: Partial<Attempt>
    ) {
        this.shell = this.openShell();
        this.secrets = new WithheldSecrets({ root, environment, keys: new Set() });
        const shellNow = () => this.shell;
        this.commands = new ContainedCommands({
            root,
            directories: {
                config: path.join(home, ".config/north"),
                data: data.replace("PROJECT", root),
                state: path.join(home, ".local/state/north"),
            },
            environment,
            settings: { mode: "auto", show: [], hide: [], limits },
            get shell() {
                return shellNow();
            },
            workspace: openWorkspace({ root }),
        });
    }

    unavailable(): Promise<string | undefined> {
        return this.commands.unavailable();
    }

    /** Forgets what earlier commands set. */
    async startSession(): Promise<void> {
        await this.shell.dispose();
        this.shell = this.openShell();
    }

    async try({ where, command }: Section, isSession: boolean): Promise<End> {
        if (where === "real") {
            const { stdout, stderr } = await this.shell.run(command);
            return { output: this.secrets.text(stdout + stderr), isRefused: false };
        }
        const folder = isSession ? this.shell.cwd : root;
        const run = await this.commands.run(command, folder, { timeoutMs: patient(20_000) });
        const isKept = isSession && run.needs === undefined && run.effects.length === 0;
        const notes = [...run.notes, ...(isKept ? run.keep() : [])];
        const effects = run.effects.map(
            ({ path: name, after }) => `${name} ${Buffer.from(after ?? []).toString("latin1")}`
        );
        const { stdout, stderr } = run.outcome;
        const text = [stdout, stderr, run.needs, ...notes, ...effects].join("\n");
        return {
            output: this.secrets.text(text),
            isRefused: run.needs !== undefined,
            isTruncated: run.outcome.truncated,
        };
    }

    private openShell(): OwnedShell {
        return openShell({ root, withheldVariables: [], environment: this.environment });
    }

    async dispose(): Promise<void> {
        await Promise.all([this.shell.dispose(), this.commands.dispose()]);
    }
}

/** One attempt, or several in one command, in the order in which they run. */
class Trial {
    private readonly bystander = spawn("sleep", ["1000"]);
    /** What was there after the last attempt; absent if something was planted or restored since. */
    private last: readonly string[] | undefined;
    /** What was there before all attempts. */
    private readonly planted: string;

    constructor(
        private readonly witness: Witness,
        private readonly environment: NodeJS.ProcessEnv,
        private readonly shared: Tries,
        /** Why nothing can be contained on this machine. */
        private readonly problem: string | undefined,
        planted: readonly string[]
    ) {
        this.last = planted;
        this.planted = inOrder(planted);
    }

    async single(attempt: Attempt): Promise<void> {
        for (const { where, command } of attempt.sections) {
            if (where !== "outside") continue;
            execFileSync("bash", ["-c", command], { cwd: root, env: this.environment });
            this.last = undefined;
        }
        const isOwn = needsOwnNorth(attempt);
        const isSession = needsSession(attempt);
        const tries = isOwn ? new Tries(this.environment, attempt) : this.shared;
        const isOff = isOwn ? await tries.unavailable() : this.problem;
        // Refusing what was planted is right; the machine as it is must do.
        const sections = isOff === undefined ? attempt.sections : [];
        const { output, escapes, isRefused } = await this.watch(tries, sections, isSession);
        const { forbidden } = attempt;
        const said = forbidden === undefined ? null : new RegExp(forbidden, "m").exec(output);
        if (said) escapes.push(`printed ${said[0]}`);
        print({ file: attempt.file, escapes, output: output.slice(-3000), isRefused });
        if (isOwn) await tries.dispose();
        else if (isSession) await tries.startSession();
        if (isSession || escapes.length > 0) this.restore();
    }

    async together({ attempts, isRefused }: SharedTrials): Promise<void> {
        const [first] = attempts;
        if (first === undefined) return;
        if (attempts.length === 1) return await this.single(first);
        if (attempts.length > TOGETHER) return await this.halves({ attempts, isRefused });
        const command = attempts
            .map(({ sections }, index) => {
                const mark = markOf(index);
                return `echo; echo ${mark}\n(\n${sections[0]?.command}\n)`;
            })
            .join("\n");
        const watched = await this.watch(this.shared, [{ where: "contained", command }], false);
        // An attempt may end the run: those behind it have not been tried.
        const begun = attempts.findLastIndex((_, index) => watched.output.includes(markOf(index)));
        const tried = attempts.slice(0, begun + 1);
        const isForbidden = tried.some(
            ({ forbidden }) => forbidden && new RegExp(forbidden, "m").test(watched.output)
        );
        const isUnclear = isForbidden || watched.isTruncated || (watched.isRefused && !isRefused);
        if (begun < 0 || isUnclear || watched.escapes.length > 0) {
            if (watched.escapes.length > 0) this.restore();
            return await this.halves({ attempts, isRefused });
        }
        for (const { file } of tried) print({ file, escapes: [], output: "" });
        await this.together({ attempts: attempts.slice(begun + 1), isRefused });
    }

    close(): void {
        this.bystander.kill();
    }

    private async halves({ attempts, isRefused }: SharedTrials): Promise<void> {
        const middle = Math.ceil(attempts.length / 2);
        await this.together({ attempts: attempts.slice(0, middle), isRefused });
        await this.together({ attempts: attempts.slice(middle), isRefused });
    }

    private restore(): void {
        if (this.last && inOrder(this.last) === this.planted) return;
        restore(this.witness);
        this.last = undefined;
    }

    private async watch(tries: Tries, sections: readonly Section[], isSession: boolean) {
        const { witness } = this;
        const escapes: string[] = [];
        if (this.problem !== undefined) escapes.push(`Containment is off here: ${this.problem}`);
        const before = new Set(this.last ?? (await witness.picture()));
        const serving = setTimeout(() => {
            if (JSON.stringify(sections).includes("LATE") && !existsSync(late)) {
                void witness.serve("a late service", late);
            }
        }, LATE_MS);
        let output = "";
        let [isRefused, isTruncated] = [false, false];
        for (const section of sections) {
            if (section.where === "outside") continue;
            const end = await Promise.race([
                tries
                    .try(section, isSession)
                    .catch((error: unknown) => failed(`${String(error)}\n`)),
                ended(section.command),
            ]);
            output += end.output;
            isRefused ||= end.isRefused;
            isTruncated ||= end.isTruncated === true;
        }
        clearTimeout(serving);
        const after = await witness.picture();
        this.last = after;
        const changed = after.filter((line) => !before.has(line) && !line.includes("late.sock"));
        const there = new Set(after);
        const gone = [...before].filter((line) => !there.has(line));
        escapes.push(...changed.map((line) => `outside is now ${line.slice(0, 200)}`));
        if (changed.length === 0) escapes.push(...gone.map((line) => `gone: ${line}`));
        escapes.push(...witness.happened());
        if (this.bystander.exitCode !== null || this.bystander.signalCode) {
            escapes.push("a process was killed");
        }
        if (output.includes(NEVER_ENDS)) escapes.push(NEVER_ENDS);
        const secret = SECRET.exec(output);
        if (secret) escapes.push(`printed ${secret[0]}`);
        return { output, escapes, isRefused, isTruncated };
    }
}

function inOrder(picture: readonly string[]): string {
    return picture.toSorted().join("\n");
}

function markOf(index: number): string {
    return `attempt ${index} of several begins`;
}

function failed(output: string): End {
    return { output, isRefused: false };
}

function print(tried: Tried): void {
    process.stdout.write(`${JSON.stringify(tried)}\n`);
}

async function main(): Promise<void> {
    const { single, shared } = JSON.parse(
        readFileSync(0, "utf8").replaceAll("north-was-here", mark)
    ) as Trials;
    const own = [at("tmp"), at("template"), at("home/.north/contained")];
    const witness = new Witness(PLACE, mark, own);
    const port = await witness.serve("a port", 0);
    const environment = { ...variables, PORT: String(port) };
    mkdirSync(at("outside/many"));
    for (let index = 0; index < Number(process.env.SOCKETS ?? 0); index += 1) {
        await witness.serve(`socket ${index}`, at(`outside/many/${index}.sock`));
    }
    await witness.serve("a service", variables.SERVICE);
    await witness.serve("an abstract service", `\0${mark}`);
    await witness.serve("a service in HOME", path.join(home, ".cargo/service.sock"));
    if (existsSync(path.dirname(bus))) await witness.serve("the session's bus", bus);
    for (const pipe of [variables.PIPE, path.join(home, ".cargo/pipe")]) witness.readPipe(pipe);
    const tries = new Tries(environment, {});
    const problem = await tries.unavailable();
    await tries.try({ where: "real", command: "true" }, false);
    const trial = new Trial(witness, environment, tries, problem, await witness.picture());
    for (const attempt of single) await trial.single(attempt);
    for (const attempts of shared) await trial.together(attempts);
    trial.close();
    await tries.dispose();
    witness.close();
    const leftovers = readdirSync(own[2] ?? "").map((name) => `${name} is left in ${own[2]}`);
    print({ file: LEFTOVERS, escapes: leftovers, output: "" });
}

async function ended(command: string): Promise<End> {
    await sleep(MAX_MS, undefined, { ref: false });
    return failed(`${NEVER_ENDS}: ${command}\n`);
}

/** Everything as it was planted; what listens in HOME, and North's own layers, stay. */
function restore(witness: Witness): void {
    witness.clean();
    execFileSync("bash", [
        "--norc",
        "-c",
        `cd "${home}" && find . -mindepth 1 -depth ! -path './.north/contained*' ! -type s ! -type p -delete 2>/dev/null
cp -a "${at("template")}/." "${home}" 2>/dev/null; rm -f "${late}"; true`,
    ]);
}

await main();
process.exit();
