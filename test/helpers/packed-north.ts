import { execFile } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { packageTexts, packedFiles, SHRINKWRAP } from "../../scripts/package.js";
import { startLocalRegistry } from "./local-registry.js";

const run = promisify(execFile);

/** North as installed by npm, or staged for it. */
export interface PackedNorth {
    /**
     * Puts the installed North on the PATH, and restricts npm to North and the checkout's packages.
     */
    readonly environment: Readonly<Record<string, string>>;
    /** The folder of the installed `north`. */
    readonly bin: string;
    /** The prefix of npm's global packages. */
    readonly prefix: string;
    /** The folder to pack. */
    readonly staged: string;
    /** A temporary folder for tests. */
    readonly folder: string;
    remove(): Promise<void>;
}

/** Stages North as it would be published, with a registry on loopback to install it from. */
export async function stageNorth(): Promise<PackedNorth> {
    const folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "north-packed-")));
    const staged = path.join(folder, "staged");
    stage(staged);
    const registry = await startLocalRegistry([staged]);
    const prefix = path.join(folder, "prefix");
    const bin = path.join(prefix, "bin");
    return {
        environment: {
            PATH: `${bin}:${process.env.PATH}`,
            npm_config_registry: registry.url,
            npm_config_audit: "false",
            npm_config_fund: "false",
            npm_config_update_notifier: "false",
        },
        bin,
        prefix,
        staged,
        folder,
        async remove() {
            await registry.close();
            fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
        },
    };
}

/** Installs North with npm. Use in `before`: npm takes seconds. */
export async function installPackedNorth(): Promise<PackedNorth> {
    const north = await stageNorth();
    const { folder, prefix, environment } = north;
    const home = path.join(folder, "home");
    fs.mkdirSync(home);
    const env = { HOME: home, ...environment };
    await run("npm", ["install", "--global", "--prefix", prefix, "north-cli"], {
        cwd: folder,
        env,
    });
    return north;
}

/** Copies what `npm pack` would pack to another folder, because other tests use the checkout. */
function stage(folder: string): void {
    const files = packedFiles();
    for (const file of files) fs.cpSync(file, path.join(folder, file));
    for (const [file, text] of packageTexts(files)) fs.writeFileSync(path.join(folder, file), text);
    // The local registry's archives differ in bytes from npm's.
    const shrinkwrap = path.join(folder, SHRINKWRAP);
    const locked = fs.readFileSync(shrinkwrap, "utf8").replace(/^ *"integrity": .*\n/gm, "");
    fs.writeFileSync(shrinkwrap, locked);
}

/** Packs packages without rebuilding them, because other tests use the build. */
export async function pack(sources: readonly string[], destination: string): Promise<string[]> {
    const packing = ["pack", "--ignore-scripts", "--json", "--pack-destination", destination];
    const folders = sources.map((source) => path.resolve(source));
    const { stdout } = await run("npm", [...packing, ...folders], { cwd: destination });
    const packed = JSON.parse(stdout) as readonly { readonly filename: string }[];
    return packed.map(({ filename }) => path.join(destination, filename));
}

/** Runs the installed `north`. Rejects if it fails. */
export async function runNorth(
    args: readonly string[],
    options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }
): Promise<{ readonly stdout: string; readonly stderr: string }> {
    const running = run("north", [...args], options);
    running.child.stdin?.end();
    return running;
}
