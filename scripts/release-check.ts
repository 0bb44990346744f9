// Packs North, installs the archive as a user does, runs it, and says what was installed.
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** docs/releasing.md */
const MOST_MEGABYTES = 75;

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(path.join(tmpdir(), "north-release-"));
try {
    const archive = pack(path.join(root, "build"));
    const home = path.join(folder, "home");
    const prefix = path.join(folder, "prefix");
    mkdirSync(home);
    const options = { cwd: folder, env: { ...process.env, HOME: home } };
    const started = performance.now();
    execFileSync("npm", ["install", "--global", "--prefix", prefix, archive], options);
    const seconds = (performance.now() - started) / 1000;
    const { megabytes, files } = sizeOf(prefix);
    const version = execFileSync(path.join(prefix, "bin", "north"), ["--version"], options);
    execFileSync(path.join(prefix, "bin", "north"), ["tools"], options);
    process.stdout.write(
        `${archive}\n${version}${megabytes.toFixed(0)} MB, ${files} files, installed in ${seconds.toFixed(1)} s\n`
    );
    if (megabytes > MOST_MEGABYTES) throw new Error(`More than ${MOST_MEGABYTES} MB.`);
} finally {
    rmSync(folder, { recursive: true });
}

function pack(destination: string): string {
    mkdirSync(destination, { recursive: true });
    const args = ["pack", "--json", "--loglevel=error", "--pack-destination", destination];
    const output = execFileSync("npm", args, { cwd: root, encoding: "utf8" });
    const [packed] = JSON.parse(output) as readonly { readonly filename: string }[];
    return path.join(destination, packed?.filename ?? "");
}

/** On the disk, where every file takes whole blocks. */
function sizeOf(place: string): { readonly megabytes: number; readonly files: number } {
    const entries = readdirSync(place, { recursive: true, encoding: "utf8" });
    const stats = entries.map((name) => lstatSync(path.join(place, name)));
    const blocks = stats.reduce((sum, each) => sum + each.blocks, 0);
    return {
        megabytes: (blocks * 512) / 2 ** 20,
        files: stats.filter((each) => each.isFile()).length,
    };
}
