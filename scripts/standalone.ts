// Archives with Node and all packages, for machines without Node.
import { execFileSync, type ExecFileSyncOptions, spawnSync } from "node:child_process";
import {
    chmodSync,
    closeSync,
    cpSync,
    mkdirSync,
    mkdtempSync,
    openSync,
    readdirSync,
    readSync,
    rmSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { archiveName, installLine, type Manifest, NODE, type Target } from "./distribution.js";

/** Resolves symlinks to itself, such as the one in ~/.local/bin. */
const LAUNCHER = `#!/bin/sh
here=$0
while [ -L "$here" ]; do
    link=$(readlink "$here")
    case $link in
    /*) here=$link ;;
    *) here=\${here%/*}/$link ;;
    esac
done
here=\${here%/*}
exec "$here/node" "$here/../lib/node_modules/north-cli/bin/run.js" "$@"
`;

/** ELF machine numbers. */
const MACHINES: Readonly<Record<Target, number>> = { "linux-x64": 62, "linux-arm64": 183 };

/** Builds a target's archive from the packed package, and returns its path. */
export function buildArchive(manifest: Manifest, packed: string, target: Target): string {
    const folder = mkdtempSync(path.join(tmpdir(), "north-archive-"));
    try {
        const north = path.join(folder, "north");
        const [os = "", cpu = ""] = target.split("-");
        // Never run scripts: they would detect this machine.
        const place = ["--os", os, "--cpu", cpu, "--libc", "glibc", "--ignore-scripts"];
        npm(["install", "--global", "--prefix", north, ...place, packed], folder);
        addNode(north, target);
        rmSync(path.join(north, "bin", "north"));
        writeFileSync(path.join(north, "bin", "north"), LAUNCHER, { mode: 0o755 });
        writeFileSync(path.join(north, "INSTALL"), `${installLine(manifest)}\n`);
        checkMachine(north, target);
        const archive = path.join(path.dirname(packed), archiveName(manifest, target));
        const owner = ["--owner=0", "--group=0", "--numeric-owner", "--sort=name"];
        execFileSync("tar", ["-czf", archive, ...owner, "-C", folder, "north"]);
        return archive;
    } finally {
        rmSync(folder, { recursive: true });
    }
}

/** Adds Node and its licence, without npm and headers. */
function addNode(north: string, target: Target): void {
    const folder = path.dirname(north);
    npm(["pack", "--silent", `node-${target}@${NODE}`], folder);
    const archive = path.join(folder, `node-${target}-${NODE}.tgz`);
    execFileSync("tar", ["-xzf", archive, "-C", folder, "package/bin/node", "package/LICENSE"]);
    cpSync(path.join(folder, "package", "bin", "node"), path.join(north, "bin", "node"));
    chmodSync(path.join(north, "bin", "node"), 0o755);
    cpSync(path.join(folder, "package", "LICENSE"), path.join(north, "LICENSE-node"));
}

/** npm silently installs packages that have no binary for the target. */
function checkMachine(north: string, target: Target): void {
    const files = readdirSync(north, { recursive: true, withFileTypes: true });
    const binaries = files
        .filter((file) => file.isFile())
        .map((file) => path.join(file.parentPath, file.name))
        .flatMap((file) => {
            const machine = machineOf(file);
            return machine === undefined ? [] : [{ file, machine }];
        });
    const names = binaries.map(({ file }) => path.basename(file));
    for (const needed of [/^node$/, /^rg$/, /^pty\.node$/, /^keyring\..*\.node$/]) {
        if (!names.some((name) => needed.test(name))) throw new Error(`${target} lacks ${needed}.`);
    }
    const foreign = binaries.find(({ machine }) => machine !== MACHINES[target]);
    if (foreign) throw new Error(`${foreign.file} is not for ${target}.`);
}

/** Returns `undefined` if the file is not an ELF binary. */
function machineOf(file: string): number | undefined {
    const header = Buffer.alloc(20);
    const opened = openSync(file, "r");
    try {
        readSync(opened, header, 0, header.length, 0);
    } finally {
        closeSync(opened);
    }
    return header.readUInt32BE(0) === 0x7f454c46 ? header.readUInt16LE(18) : undefined;
}

export interface Run {
    readonly command: string;
    readonly output: string;
}

/**
 * Unpacks an archive for this machine into an otherwise empty root, with only `/bin/sh` and the
 * libraries Node links to, and starts it there. Throws unless everything works.
 */
export function startInEmptyRoot(archive: string): readonly Run[] {
    const root = mkdtempSync(path.join(tmpdir(), "north-root-"));
    try {
        execFileSync("tar", ["-xzf", archive, "-C", root]);
        for (const folder of ["home", "tmp", "bin"]) mkdirSync(path.join(root, folder));
        const linked = execFileSync("ldd", [path.join(root, "north", "bin", "node"), "/bin/sh"]);
        const libraries = String(linked).match(/\/\S*lib\S*\.so\S*/g) ?? [];
        for (const file of new Set([...libraries, "/bin/sh"])) {
            cpSync(file, path.join(root, file), { dereference: true });
        }
        return [
            ["--version"],
            ["models"],
            ["update"],
            ["-p", "--model", "offline", "list files"],
        ].map((args) => {
            const as = ["--user", "--map-root-user", "chroot", root, "/north/bin/north", ...args];
            const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/home", LANG: "C.UTF-8" };
            const { status, stdout, stderr } = spawnSync("unshare", as, { env, encoding: "utf8" });
            const command = ["north", ...args].join(" ");
            if (status !== 0) throw new Error(`${command}: exit ${status}\n${stdout}${stderr}`);
            return { command, output: stdout };
        });
    } finally {
        rmSync(root, { recursive: true });
    }
}

function npm(args: readonly string[], cwd: string): void {
    const options: ExecFileSyncOptions = { cwd, stdio: ["ignore", "ignore", "inherit"] };
    execFileSync("npm", [...args, "--loglevel=error", "--no-audit", "--no-fund"], options);
}
