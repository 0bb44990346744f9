// A release except for its publication: packs North and its plugins, checks the packages' contents,
// installs and runs them like a user, builds the other artifacts, and says what is missing before
// the tag.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
    lstatSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    rmSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import {
    archiveName,
    formula,
    installLine,
    installScript,
    type Manifest,
    type Target,
    targets,
} from "./distribution.js";
import { faultsOfContents, missingBeforeTag, releaseNotes } from "./release-state.js";
import { buildArchive, startInEmptyRoot } from "./standalone.js";

/** See docs/releasing.md. */
const MAX_MEGABYTES = 75;
const PUBLISHED_PLUGINS = [
    ...["north-plugin-lsp", "north-plugin-mcp", "north-plugin-otel"],
    ...["north-provider-bedrock", "north-provider-google", "north-provider-mistral"],
    "north-provider-ollama",
];

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const build = path.join(root, "build");
const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as Manifest;

// Before packing, which temporarily changes files in the checkout.
const missing = missingBeforeTag(root);
rmSync(build, { recursive: true, force: true });
mkdirSync(build);
const packed = pack([]);
checkContents(packed);
for (const plugin of PUBLISHED_PLUGINS) checkContents(pack(["--workspace", plugin]));
tryInstalled(packed);

const sums = Object.fromEntries(
    targets.map((target) => {
        const archive = buildArchive(manifest, packed, target);
        say(`${path.basename(archive)}: ${megabytesOf(archive)} MB`);
        return [target, sumOf(archive)];
    })
) as Record<Target, string>;
tryInEmptyRoot();
write("install.sh", installScript(manifest, sums), 0o755);
execFileSync("sh", ["-n", path.join(build, "install.sh")]);
write("north.rb", formula(manifest, sumOf(packed)));
const notes = releaseNotes(root);
write("notes.md", `${notes}\n\n    ${installLine(manifest)}\n`);

const tag = `v${manifest.version}`;
say(`Not tagged yet. To tag: git tag -a ${tag} -F build/notes.md`);
if (missing.length > 0) {
    say(`Before tagging:\n${missing.map((each) => `- ${each}`).join("\n")}`);
    process.exitCode = 1;
}

function pack(chosen: readonly string[]): string {
    const args = ["pack", ...chosen, "--json", "--loglevel=error", "--pack-destination", build];
    const output = execFileSync("npm", args, { cwd: root, encoding: "utf8" });
    // Skip the output of scripts.
    const [made] = JSON.parse(output.slice(output.indexOf("["))) as readonly {
        readonly filename: string;
    }[];
    return path.join(build, made?.filename ?? "");
}

function checkContents(archive: string): void {
    const files = execFileSync("tar", ["-tzf", archive], { encoding: "utf8" }).trim().split("\n");
    const faults = faultsOfContents(files.map((file) => file.replace(/^package\//, "")));
    if (faults.length > 0) throw new Error(`${path.basename(archive)}: ${faults.join(", ")}`);
    say(`${path.basename(archive)}: ${files.length} files, ${megabytesOf(archive)} MB`);
}

function tryInstalled(archive: string): void {
    const folder = mkdtempSync(path.join(tmpdir(), "north-release-"));
    try {
        const home = path.join(folder, "home");
        const prefix = path.join(folder, "prefix");
        mkdirSync(home);
        const options = { cwd: folder, env: { ...process.env, HOME: home } };
        const started = performance.now();
        execFileSync("npm", ["install", "--global", "--prefix", prefix, archive], options);
        const seconds = (performance.now() - started) / 1000;
        const { megabytes, files } = sizeOf(prefix);
        const run = (...args: readonly string[]) =>
            String(execFileSync(path.join(prefix, "bin", "north"), args, options)).trim();
        run("tools");
        const version = run("--version");
        say(`${version}, installed in ${seconds.toFixed(1)} s: ${megabytes} MB, ${files} files`);
        if (megabytes > MAX_MEGABYTES) throw new Error(`More than ${MAX_MEGABYTES} MB.`);
        say(run("update"));
    } finally {
        rmSync(folder, { recursive: true });
    }
}

function tryInEmptyRoot(): void {
    const target = targets.find((each) => each === `${process.platform}-${process.arch}`);
    if (target === undefined) return say("No archive fits this machine, so none was started.");
    const archive = archiveName(manifest, target);
    for (const { command, output } of startInEmptyRoot(path.join(build, archive))) {
        say(`in an empty root: ${command}: ${output.trim().split("\n")[0]}`);
    }
}

/** Size on disk, where files take whole blocks. */
function sizeOf(place: string): { readonly megabytes: number; readonly files: number } {
    const entries = readdirSync(place, { recursive: true, encoding: "utf8" });
    const stats = entries.map((name) => lstatSync(path.join(place, name)));
    const blocks = stats.reduce((sum, each) => sum + each.blocks, 0);
    return {
        megabytes: Math.round((blocks * 512) / 2 ** 20),
        files: stats.filter((each) => each.isFile()).length,
    };
}

function megabytesOf(file: string): string {
    return (lstatSync(file).size / 2 ** 20).toFixed(1);
}

function sumOf(file: string): string {
    return createHash("sha256").update(readFileSync(file)).digest("hex");
}

function write(name: string, text: string, mode = 0o644): void {
    writeFileSync(path.join(build, name), text, { mode });
    say(`${name}: ${text.length} bytes`);
}

function say(line: string): void {
    process.stdout.write(`${line}\n`);
}
