/**
 * Loaded before every test. Moves HOME and North's folders to a temporary folder, fixes colour and
 * width, removes keys, and blocks all hosts but loopback.
 */
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { removeFolder } from "./remove-folder.js";
import { sampleTests } from "./sample.js";

// The same commit gets the same verdict. NORTH_TEST_SEED=random explores; a failure prints its seed.
const { NORTH_TEST_SEED: seed = "1" } = process.env;
if (seed !== "random") fc.configureGlobal({ seed: Number(seed) });

/** Set by `scripts/test.js`: the file that lists what failed. */
const { NORTH_TEST_FAILED: failedTests } = process.env;

const TOP = "NORTH_TEST_TOP";
if (process.env[TOP] === undefined) {
    const top = mkdtempSync(path.join(tmpdir(), "north-"));
    process.env[TOP] = top;
    // Also what a test leaves behind, or is killed before it removes, goes with the folder.
    const temporary = path.join(top, "t");
    mkdirSync(temporary);
    // Where tsx keeps compiled modules, for workers too.
    const compiled = path.join(tmpdir(), `tsx-${process.getuid?.()}`);
    mkdirSync(compiled, { recursive: true });
    symlinkSync(compiled, path.join(temporary, path.basename(compiled)));
    // Some tests run programs as a user without rights.
    chmodSync(top, 0o711);
    chmodSync(temporary, 0o1777);
    process.env.TMPDIR = temporary;
    // As where North is installed: hints then say `north`.
    const programs = path.join(top, "bin");
    mkdirSync(programs);
    symlinkSync(path.resolve("bin/run.js"), path.join(programs, "north"));
    process.env.PATH = `${process.env.PATH}:${programs}`;
    // Workers inherit the folder: Mocha kills those that take longer than a second to end.
    process.on("exit", () => removeFolder(top));
}
const home = mkdtempSync(path.join(process.env[TOP], "home-"));

process.env.HOME = home;
process.env.NORTH_CONFIG_DIR = path.join(home, "config");
process.env.NORTH_DATA_DIR = path.join(home, "data");
process.env.NORTH_STATE_DIR = path.join(home, "state");
process.env.GIT_CONFIG_GLOBAL = "/dev/null";
process.env.GIT_CONFIG_SYSTEM = "/dev/null";
process.env.COLUMNS = "80";
process.env.NO_COLOR = "1";
for (const name of Object.keys(process.env)) {
    if (/_API_KEY$|_BASE_URL$|^XDG_|^CI$|^FORCE_COLOR$/.test(name)) delete process.env[name];
}

export const mochaHooks: Mocha.RootHookObject = {
    beforeAll(this: Mocha.Context) {
        const suite = this.test?.parent;
        if (suite) sampleTests(suite);
    },
    afterEach(this: Mocha.Context) {
        const test = this.currentTest;
        if (test?.state !== "failed" || failedTests === undefined) return;
        const line = { file: test.file, title: test.fullTitle() };
        appendFileSync(failedTests, `${JSON.stringify(line)}\n`);
    },
};

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (this: net.Socket, ...options: unknown[]) {
    const [first] = Array.isArray(options[0]) ? (options[0] as unknown[]) : options;
    const host =
        typeof first === "object" && first !== null && "host" in first ? first.host : undefined;
    const isLoopback =
        host === undefined || ["127.0.0.1", "::1", "localhost"].includes(String(host));
    if (!isLoopback) throw new Error(`A test tried to reach ${String(host)}`);
    return Reflect.apply(connect, this, options) as net.Socket;
};
