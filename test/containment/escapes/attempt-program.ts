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
import { WithheldSecrets } from "../../../src/host/project/withheld-secrets.js";
import { type OwnedShell, openShell } from "../../../src/shell/open-shell.js";
import type { Attempt, Section } from "./read-attempts.js";
import { Witness } from "./witness.js";

const PLACE = "/srv";
const SECRET = /hunter2[-\w]*/;
const LATE_MS = 100;
/** More than a command may take. */
const MAX_MS = 30_000;
const NEVER_ENDS = "North waits for ever";

/** Stands for what North itself leaves behind once all is over. */
export const LEFTOVERS = "leftovers";

export interface Tried {
    readonly file: string;
    /** Empty if nothing escaped. */
    readonly escapes: readonly string[];
    readonly output: string;
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

/** One North in the project. */
class Tries {
    private readonly shell: OwnedShell;
    private readonly commands: ContainedCommands;
    private readonly secrets: WithheldSecrets;

    constructor(
        environment: NodeJS.ProcessEnv,
        { data = path.join(home, ".north"), limits = {} }: Partial<Attempt>
    ) {
        this.shell = openShell({ root, withheldVariables: [], environment });
        this.secrets = new WithheldSecrets({ root, environment, keys: new Set() });
        this.commands = new ContainedCommands({
            root,
            directories: {
                config: path.join(home, ".config/north"),
                data: data.replace("PROJECT", root),
                state: path.join(home, ".local/state/north"),
            },
            environment,
            settings: { mode: "auto", show: [], hide: [], limits },
            shell: this.shell,
            isIgnored: () => Promise.resolve(false),
        });
    }

    unavailable(): Promise<string | undefined> {
        return this.commands.unavailable();
    }

    /** Returns all that the model could read of it. */
    async try({ where, command }: Section, isAlone: boolean): Promise<string> {
        if (where === "real") {
            const { stdout, stderr } = await this.shell.run(command);
            return this.secrets.text(stdout + stderr);
        }
        const folder = isAlone ? this.shell.cwd : root;
        const run = await this.commands.run(command, folder, { timeoutMs: 20_000 });
        const isKept = isAlone && run.needs === undefined && run.effects.length === 0;
        const notes = [...run.notes, ...(isKept ? run.keep() : [])];
        const effects = run.effects.map(
            ({ path: name, after }) => `${name} ${Buffer.from(after ?? []).toString("latin1")}`
        );
        const { stdout, stderr } = run.outcome;
        return this.secrets.text([stdout, stderr, run.needs, ...notes, ...effects].join("\n"));
    }

    async dispose(): Promise<void> {
        await Promise.all([this.shell.dispose(), this.commands.dispose()]);
    }
}

/** Attempts with more than one command, or with what must be planted first. */
function isAlone({ sections, data, limits }: Attempt): boolean {
    return sections.length > 1 || data !== undefined || Object.keys(limits).length > 0;
}

async function main(): Promise<void> {
    const attempts = JSON.parse(readFileSync(0, "utf8")) as Attempt[];
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
    const bystander = spawn("sleep", ["1000"]);
    const shared = new Tries(environment, {});
    const problem = await shared.unavailable();
    await shared.try({ where: "real", command: "true" }, false);

    for (const attempt of attempts) {
        const escapes: string[] = [];
        let output = "";
        for (const { where, command } of attempt.sections) {
            if (where !== "outside") continue;
            execFileSync("bash", ["-c", command], { cwd: root, env: environment });
        }
        const alone = isAlone(attempt);
        const tries = alone ? new Tries(environment, attempt) : shared;
        const isOff = alone ? await tries.unavailable() : problem;
        // Refusing what was planted is right; the machine as it is must do.
        if (problem !== undefined) escapes.push(`Containment is off here: ${problem}`);
        const before = new Set(witness.picture());
        const serving = setTimeout(() => {
            if (JSON.stringify(attempt.sections).includes("LATE")) {
                void witness.serve("a late service", late);
            }
        }, LATE_MS);
        for (const section of isOff === undefined ? attempt.sections : []) {
            if (section.where === "outside") continue;
            output += await Promise.race([
                tries.try(section, alone).catch((error: unknown) => `${String(error)}\n`),
                ended(section.command),
            ]);
        }
        clearTimeout(serving);
        const after = witness.picture();
        const changed = after.filter((line) => !before.has(line) && !line.includes("late.sock"));
        const gone = [...before].filter((line) => !after.includes(line));
        escapes.push(...changed.map((line) => `outside is now ${line.slice(0, 200)}`));
        if (changed.length === 0) escapes.push(...gone.map((line) => `gone: ${line}`));
        escapes.push(...witness.happened());
        if (bystander.exitCode !== null || bystander.signalCode) {
            escapes.push("a process was killed");
        }
        if (output.includes(NEVER_ENDS)) escapes.push(NEVER_ENDS);
        const secret = SECRET.exec(output);
        if (secret) escapes.push(`printed ${secret[0]}`);
        const { forbidden } = attempt;
        const said = forbidden === undefined ? null : new RegExp(forbidden, "m").exec(output);
        if (said) escapes.push(`printed ${said[0]}`);
        const tried: Tried = { file: attempt.file, escapes, output: output.slice(-3000) };
        process.stdout.write(`${JSON.stringify(tried)}\n`);
        if (alone) await tries.dispose();
        if (alone || escapes.length > 0) restore(witness);
    }
    bystander.kill();
    await shared.dispose();
    witness.close();
    const leftovers = readdirSync(own[2] ?? "").map((name) => `${name} is left in ${own[2]}`);
    const last: Tried = { file: LEFTOVERS, escapes: leftovers, output: "" };
    process.stdout.write(`${JSON.stringify(last)}\n`);
}

async function ended(command: string): Promise<string> {
    await sleep(MAX_MS, undefined, { ref: false });
    return `${NEVER_ENDS}: ${command}\n`;
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
