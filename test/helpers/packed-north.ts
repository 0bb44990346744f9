import { execFile } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { packageTexts, packedFiles, SHRINKWRAP } from "../../scripts/package.js";
import { startLocalRegistry } from "./local-registry.js";

const run = promisify(execFile);

/** North as a user has it: its archive, installed by npm in a prefix of its own. */
export interface PackedNorth {
    /** Leads to this North, and npm to no other packages than those of the checkout. */
    readonly environment: Readonly<Record<string, string>>;
    /** The folder of its `north`. */
    readonly bin: string;
    remove(): Promise<void>;
}

/** For `before`: it takes npm some seconds. */
export async function installPackedNorth(): Promise<PackedNorth> {
    const folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "north-packed-")));
    const registry = await startLocalRegistry();
    const prefix = path.join(folder, "prefix");
    const bin = path.join(prefix, "bin");
    const environment = {
        PATH: `${bin}:${process.env.PATH}`,
        npm_config_registry: registry.url,
        npm_config_audit: "false",
        npm_config_fund: "false",
        npm_config_update_notifier: "false",
    };
    const staged = path.join(folder, "staged");
    stage(staged);
    const archive = await pack(staged, folder);
    const home = path.join(folder, "home");
    fs.mkdirSync(home);
    await run("npm", ["install", "--global", "--prefix", prefix, archive], {
        cwd: folder,
        env: { HOME: home, ...environment },
    });
    return {
        environment,
        bin,
        async remove() {
            await registry.close();
            fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
        },
    };
}

/** What `npm pack` would pack, in another folder: other tests use the checkout. */
function stage(folder: string): void {
    const files = packedFiles();
    for (const file of files) fs.cpSync(file, path.join(folder, file));
    for (const [file, text] of packageTexts(files)) fs.writeFileSync(path.join(folder, file), text);
    // The registry on loopback archives what is installed here, in other bytes than npm's own does.
    const shrinkwrap = path.join(folder, SHRINKWRAP);
    const locked = fs.readFileSync(shrinkwrap, "utf8").replace(/^ *"integrity": .*\n/gm, "");
    fs.writeFileSync(shrinkwrap, locked);
}

/** Packs a package of the checkout as it is built, since other tests use what is built. */
export async function pack(source: string, destination: string): Promise<string> {
    const packing = ["pack", "--ignore-scripts", "--json", "--pack-destination", destination];
    const { stdout } = await run("npm", packing, { cwd: source });
    const [packed] = JSON.parse(stdout) as readonly { readonly filename: string }[];
    return path.join(destination, packed?.filename ?? "");
}

/** Runs the installed `north` to its end; rejects where it fails. */
export async function runNorth(
    args: readonly string[],
    options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }
): Promise<{ readonly stdout: string; readonly stderr: string }> {
    const running = run("north", [...args], options);
    running.child.stdin?.end();
    return running;
}
