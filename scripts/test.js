// Types, lint, format, then every test; the last line is `N passed, N failed`. With files, only their tests.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildNeededBy } from "./build-needed-by.js";
import { passingAlone } from "./second-try.js";
import { slownessOfMachine } from "./slowness.js";

const CACHE = "node_modules/.cache/north";
// Workers take files in this order. Files of whole programs and machines take up to minutes: begun
// last, one of them would keep a single core busy after all others have ended.
const SLOW_FOLDERS = ["test/containment", "test/e2e", "plugins", "test/shell", "test/chat"];

/** From here on, all tests would take longer than the 90 minutes that CI has. */
const TOO_SLOW = 4;

const chosen = process.argv.slice(2);
const slowness = slownessOfMachine();
process.env.NORTH_TEST_SLOWNESS = String(slowness);
const runsAll =
    process.env.NORTH_TEST_ALL === "1" || (Boolean(process.env.CI) && slowness < TOO_SLOW);
if (slowness >= TOO_SLOW) {
    const sampling = process.env.CI && !runsAll ? ", so CI runs a sample" : "";
    process.stdout.write(`This machine is ${slowness} times slower than usual${sampling}.\n`);
}
mkdirSync(CACHE, { recursive: true });
const FAILED = path.resolve(CACHE, `failed-${process.pid}`);
if (slowness >= TOO_SLOW) process.env.NORTH_TEST_FAILED = FAILED;
const REPORT = path.resolve(CACHE, `sampled-${process.pid}`);
if (!runsAll) {
    // See test/helpers/sample.ts.
    writeFileSync(REPORT, "");
    process.env.NORTH_TEST_SAMPLED = REPORT;
    process.env.NORTH_TEST_SAMPLE = git("rev-list", "--count", "HEAD") || "0";
    process.env.NORTH_TEST_WHOLE = [...chosen.map(relative), ...changedFiles()].join("\n");
}

const needed = chosen.length === 0 ? "all" : await buildNeededBy(chosen.filter(existsSync));
if (needed !== undefined) {
    const { code } = await run(["scripts/ensure-built.js", needed]);
    if (code !== 0) process.exit(code ?? 1);
}

const checks = chosen.length > 0 ? [] : startChecks();
const { code, output } = await run(
    [
        "node_modules/mocha/bin/mocha.js",
        ...(chosen.length === 0 ? suite() : ["--no-parallel", ...chosen]),
    ],
    { show: print }
);
const reports = await Promise.all(checks);
const failing = count(output, "failing");
const alone = slowness < TOO_SLOW ? 0 : await passingAlone(FAILED, failing, run, print);
const passing = count(output, "passing") + alone;
const failures = reports.flatMap((report) => report.match(/^FAILED: .*$/gm) ?? []);
const passed = passing + reports.flatMap((report) => report.match(/^ok: /gm) ?? []).length;
const failed = failures.length + Math.max(failing, code === 0 && passing > 0 ? 0 : 1) - alone;
const contained = [...output.matchAll(/contained runs, .*: (\d+) ran, (\d+) could not/g)];
const sum = (group) => contained.reduce((total, match) => total + Number(match[group]), 0);
if (contained.length > 0) {
    process.stdout.write(`contained tests: ${sum(1)} ran, ${sum(2)} could not\n`);
}
if (!runsAll) process.stdout.write(sampledLine());
for (const failure of failures) process.stdout.write(`${failure}\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** Every test file: slow ones first, or last where there may be no time for all. */
function suite() {
    const files = ["test", "plugins"].flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: "utf8" }).map(
            (file) => `${folder}/${file}`
        )
    );
    const rank = (file) => [...SLOW_FOLDERS, ""].findIndex((folder) => file.startsWith(folder));
    const order = slowness < TOO_SLOW ? 1 : -1;
    return files
        .filter((file) => /^(?:test|plugins\/[^/]+\/test)\/.*\.test\.ts$/.test(file))
        .filter((file) => !/node_modules|^test\/fixtures\//.test(file))
        .sort((one, other) => order * (rank(one) - rank(other)) || one.localeCompare(other));
}

/** Files that differ from the main branch, committed or not. */
function changedFiles() {
    const base = git("merge-base", "HEAD", "origin/main") || "HEAD";
    return `${git("diff", "--name-only", base)}\n${git("ls-files", "--others", "--exclude-standard")}`
        .split("\n")
        .filter(Boolean);
}

/** What git prints; empty where it fails, as in an unpacked archive. */
function git(...options) {
    return spawnSync("git", options, { encoding: "utf8" }).stdout?.trim() ?? "";
}

function relative(file) {
    return path.relative(".", file);
}

function sampledLine() {
    const lines = readFileSync(REPORT, "utf8").split("\n").filter(Boolean);
    rmSync(REPORT);
    const sum = (field) => lines.reduce((total, line) => total + Number(line.split(" ")[field]), 0);
    if (lines.length === 0) return "";
    const late = lines.map((line) => line.split(" ")[2]).filter(Boolean);
    const without = late.length > 0 ? `, without ${late.length} files for lack of time` : "";
    return `Sampled for this commit: ${sum(0)} of ${sum(1)} tests and repetitions${without}; NORTH_TEST_ALL=1 runs all.\n`;
}

/** Types, lint and format, beside the tests. */
function startChecks() {
    return [
        check("types and lint", ["node_modules/oxlint/bin/oxlint"]),
        check("format", ["node_modules/oxfmt/bin/oxfmt", "--check"]),
    ];
}

/** Returns the verdict, after what a failed check printed. */
async function check(name, options) {
    const { code, output } = await run(options);
    const report = code === 0 ? `ok: ${name}\n` : `${output}FAILED: ${name}\n`;
    // In one piece, since mocha prints at the same time.
    process.stdout.write(report);
    return report;
}

function print(text) {
    process.stdout.write(text);
}

function run(options, { show = () => {}, env, timeout } = {}) {
    return new Promise((resolve) => {
        const child = spawn(process.execPath, options, {
            stdio: ["ignore", "pipe", "inherit"],
            env: { ...process.env, ...env },
            timeout,
        });
        let text = "";
        child.stdout.on("data", (chunk) => {
            show(chunk);
            text = (text + chunk).slice(-2_000_000);
        });
        child.on("close", (code) => resolve({ code, output: text }));
    });
}

/** Mocha's closing summary: `  123 passing (4s)`. */
function count(output, word) {
    const matches = [...output.matchAll(new RegExp(`^ {2}(\\d+) ${word}\\b`, "gm"))];
    return matches.length > 0 ? Number(matches.at(-1)[1]) : 0;
}
