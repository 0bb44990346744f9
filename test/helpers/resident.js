// Runs command lines of the built program one after another, each with all of North's modules loaded
// anew: most of a start is Node's own, and code that V8 has not compiled yet. Where a run leaves
// something that would end with its process, this one really ends.
import { ChildProcess } from "node:child_process";
import { createReadStream, existsSync } from "node:fs";
import { createRequire } from "node:module";
import net from "node:net";
import path from "node:path";

const [, , program] = process.argv;
const require = createRequire(program);
const BUNDLE = path.join(path.dirname(program), "bundle.js");
/** As in `bin/run.js`. */
const LINGER_MS = 1_000;
const UNSETTLED = 13;
/** Modules of earlier runs stay in memory as long as a timer of theirs does. */
const MAX_RUNS = 40;

const { exit, stdout, stderr } = process;
const control = new net.Socket({ fd: 3 });
const children = new Set();
let runs = 0;

const { spawn } = ChildProcess.prototype;
ChildProcess.prototype.spawn = function (...options) {
    children.add(this);
    this.once("exit", () => children.delete(this));
    return Reflect.apply(spawn, this, options);
};

let received = "";
control.setEncoding("utf8").on("data", (text) => {
    received += text;
    if (!received.endsWith("\n")) return;
    const wish = JSON.parse(received);
    received = "";
    void run(wish);
});
control.on("close", () => exit());

async function run({ argv, cwd, env, mark, keepsPlugins }) {
    const before = { active: activeResources(), globals: globalsNow(), listeners: listenersNow() };
    enter(argv, cwd, env);
    const hasExited = await start(argv);
    const isQuiet = await becomesQuiet(before.active);
    runs += 1;
    // Node keeps imported modules for ever, and a test may write its plugin anew.
    const plugins = path.join(env.NORTH_DATA_DIR ?? path.join(env.HOME, ".north"), "package.json");
    const mayBeOld = !keepsPlugins && existsSync(plugins);
    if (!isQuiet || mayBeOld || children.size > 0 || runs === MAX_RUNS) exit();
    if (!hasExited) process.emit("beforeExit", process.exitCode ?? 0);
    process.emit("exit", process.exitCode ?? 0);
    const code = process.exitCode ?? 0;
    restoreListeners(before.listeners);
    restoreGlobals(before.globals);
    restoreWriting();
    process.chdir("/");
    stdout.write(mark);
    stderr.write(mark);
    control.write(`${code}\n`);
}

function enter(argv, cwd, env) {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, env);
    process.chdir(cwd);
    process.argv = [process.argv[0], program, ...argv];
    // Of /dev/null, which one run reads to its end.
    let stdin;
    const get = () => (stdin ??= createReadStream("", { fd: 0, autoClose: false }));
    Object.defineProperty(process, "stdin", { configurable: true, get });
    for (const file of Object.keys(require.cache)) {
        if (file !== BUNDLE && !file.endsWith(".node")) delete require.cache[file];
    }
    require(BUNDLE).forget();
}

/** Resolves with whether it called `process.exit`. */
async function start(argv) {
    let hasExited = false;
    let exitCode;
    process.exit = (code) => {
        if (hasExited) return;
        hasExited = true;
        exitCode = code ?? process.exitCode;
        for (const stream of [stdout, stderr]) stream.write = () => true;
        // Unless it was North's last act, whoever called it must not go on.
        setImmediate(() => {
            if (process.exit === exit) return;
            leave();
            exit(process.exitCode);
        });
    };
    const leave = () => {
        if (hasExited) restoreWriting();
        process.exit = exit;
        if (hasExited) process.exitCode = exitCode;
    };
    process.exitCode = UNSETTLED;
    const started = require(path.join(path.dirname(program), "../dist/host/start.cjs"));
    process.exitCode = undefined;
    await started.start(argv);
    leave();
    return hasExited;
}

/** How many of each kind keep the process alive. */
function activeResources() {
    const counts = new Map();
    for (const kind of process.getActiveResourcesInfo()) {
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return counts;
}

function addsNothingTo(before) {
    return [...activeResources()].every(([kind, count]) => count <= (before.get(kind) ?? 0));
}

async function becomesQuiet(before) {
    for (const until = Date.now() + LINGER_MS; Date.now() < until;) {
        if (addsNothingTo(before)) return true;
        await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return false;
}

function listenersNow() {
    return [process, stdout, stderr].map((emitter) => {
        const events = emitter.eventNames().map((name) => [name, emitter.rawListeners(name)]);
        return { emitter, events };
    });
}

function restoreListeners(before) {
    for (const { emitter, events } of before) {
        emitter.removeAllListeners();
        for (const [name, listeners] of events) {
            for (const listener of listeners) emitter.on(name, listener);
        }
    }
}

/** Print mode has redirected stdout. */
function restoreWriting() {
    for (const stream of [stdout, stderr]) delete stream.write;
}

function globalsNow() {
    return Object.getOwnPropertyDescriptors(globalThis);
}

function restoreGlobals(before) {
    for (const name of Reflect.ownKeys(globalThis)) {
        const { configurable } = Object.getOwnPropertyDescriptor(globalThis, name);
        if (configurable && !Object.hasOwn(before, name)) delete globalThis[name];
    }
    for (const name of Reflect.ownKeys(before)) {
        const { value, writable } = before[name];
        if (writable && !Object.is(globalThis[name], value)) globalThis[name] = value;
    }
}
