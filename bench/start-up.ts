import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { spawn as spawnTerminal } from "@lydell/node-pty";
import { reply, startMessagesServer, text } from "../test/helpers/vendors/messages-server.js";
import {
    cleanEnvironment,
    ended,
    program,
    ratioRow,
    root,
    wallTime,
    type BenchRow,
} from "./measure.js";

const RUNS = 15;

/** Start-up time relative to `node -e 0`, each pair run back to back. */
export async function startUpRows(): Promise<BenchRow[]> {
    const home = mkdtempSync(path.join(tmpdir(), "north-bench-"));
    const homeWithPlugins = path.join(home, "with-plugins");
    linkPlugins(homeWithPlugins);
    try {
        return [
            ratioRow("`north --version`", await pairs(home, () => version(home)), 1.4),
            ratioRow("`north chat` to its prompt", await pairs(home, () => toPrompt(home)), 4.2),
            ratioRow(
                "print mode to the first request",
                await pairs(home, () => toRequest(home)),
                6
            ),
            ratioRow(
                "the same with five plugins",
                await pairs(homeWithPlugins, () => toRequest(homeWithPlugins)),
                7
            ),
        ];
    } finally {
        rmSync(home, { recursive: true, force: true });
    }
}

/** Links the two plugins with dependencies, and three copies of the example. */
function linkPlugins(home: string): void {
    const own = ["north-plugin-mcp", "north-provider-mistral"];
    const linked = own.map((name) => ({ name, root: path.join(root, "plugins", name) }));
    for (const number of [1, 2, 3]) {
        const name = `north-tool-example-${number}`;
        const folder = path.join(home, name);
        cpSync(path.join(root, "plugins/north-tool-example"), folder, { recursive: true });
        rename(path.join(folder, "package.json"), `north-tool-example`, name);
        rename(path.join(folder, "json-value.js"), "json_value", `json_value_${number}`);
        linked.push({ name, root: folder });
    }
    const plugins = linked.map((plugin) => ({ ...plugin, type: "link" }));
    const folder = path.join(home, ".local/share/north");
    mkdirSync(folder, { recursive: true });
    const content = { name: "north-cli", private: true, oclif: { schema: 1, plugins } };
    writeFileSync(path.join(folder, "package.json"), JSON.stringify(content));
}

function rename(file: string, before: string, after: string): void {
    writeFileSync(file, readFileSync(file, "utf8").replace(before, after));
}

async function pairs(home: string, measure: () => Promise<number>): Promise<number[]> {
    const ratios: number[] = [];
    // Discard the first run: it fills the system's caches.
    for (let run = 0; run <= RUNS; run += 1) {
        const base = await wallTime(process.execPath, ["-e", "0"], { env: cleanEnvironment(home) });
        const measured = await measure();
        if (run > 0) ratios.push(measured / base);
    }
    return ratios;
}

function version(home: string): Promise<number> {
    return wallTime(process.execPath, [program, "--version"], { env: cleanEnvironment(home) });
}

function toPrompt(home: string): Promise<number> {
    const begin = performance.now();
    const terminal = spawnTerminal(process.execPath, [program], {
        cwd: home,
        cols: 100,
        rows: 30,
        env: cleanEnvironment(home),
    });
    return new Promise((resolve, reject) => {
        let screen = "";
        let shownAfter: number | undefined;
        terminal.onData((data) => {
            screen += data;
            if (shownAfter !== undefined || !screen.includes("❯")) return;
            shownAfter = performance.now() - begin;
            terminal.kill("SIGTERM");
        });
        terminal.onExit(() => {
            if (shownAfter === undefined) reject(new Error(`No prompt was shown:\n${screen}`));
            else resolve(shownAfter);
        });
    });
}

async function toRequest(home: string): Promise<number> {
    let arrivedAt = Number.NaN;
    const server = await startMessagesServer({
        script: () => {
            arrivedAt = performance.now();
            return reply(text("Hello."));
        },
    });
    const env = cleanEnvironment(home, {
        ANTHROPIC_API_KEY: "sk-bench",
        ANTHROPIC_BASE_URL: server.url,
    });
    const begin = performance.now();
    const child = spawn(process.execPath, [program, "-p", "hello"], {
        cwd: home,
        env,
        stdio: "ignore",
    });
    await ended(child);
    await server.close();
    return arrivedAt - begin;
}
