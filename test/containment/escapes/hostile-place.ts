import { execFileSync, spawn } from "node:child_process";
import {
    chmodSync,
    copyFileSync,
    cpSync,
    mkdirSync,
    mkdtempSync,
    realpathSync,
    statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { bundledProgram } from "../../helpers/bundled-program.js";
import { git, writeTree } from "../../workspace/make-folder.js";

const NOBODY = 65534;

/** Native modules that the shell needs and that cannot be bundled. */
const TERMINALS = fileURLToPath(new URL("../../../node_modules/@lydell", import.meta.url));

/** Where everything planted is mounted: temporary folders are private to contained commands. */
export const PLACE = "/srv";

/** How the machine differs; set up in a mount namespace of the test's own. */
export const VARIANTS = {
    plain: "",
    "with /run as systemd mounts it": `
        mount -t tmpfs -o mode=755 tmpfs /run
        mkdir -p "/run/user/$user" && chown "$user" "/run/user/$user"`,
    "with a /run/north besides": `
        mount -t tmpfs -o mode=755 tmpfs /run
        mkdir -p /run/north "/run/user/$user" && chown "$user" "/run/user/$user"`,
    "with HOME mounted twice": `
        mount -t tmpfs tmpfs /media
        mkdir /media/home && mount --bind ${PLACE}/home /media/home`,
    "with HOME mounted twice, below /usr": `
        mount -t tmpfs tmpfs /usr/src
        mkdir /usr/src/home && mount --bind ${PLACE}/home /usr/src/home`,
    "with 300 listening sockets": "export SOCKETS=300",
    "with a project that is an overlay": `
        mkdir ${PLACE}/tmp/upper ${PLACE}/tmp/work && chown "$user" ${PLACE}/tmp/upper
        mount -t overlay -o "lowerdir=${PLACE}/home/code/project,upperdir=${PLACE}/tmp/upper,workdir=${PLACE}/tmp/work" overlay ${PLACE}/home/code/project`,
    // A mount on the one file would have North copy all files beside it.
    "without namespaces": `
        programs="$(dirname "$(type -P unshare)")"
        mkdir ${PLACE}/tmp/programs && cp "$(type -P false)" ${PLACE}/tmp/programs/unshare
        mount -t overlay -o "lowerdir=${PLACE}/tmp/programs:$programs" overlay "$programs"`,
} as const;

export type Variant = keyof typeof VARIANTS;

/** Whoever runs the tests, and for root somebody without rights too, who can run this Node. */
export function attackers(): readonly number[] {
    const own = process.getuid?.() ?? 0;
    return own === 0 && isOpenToAll(process.execPath) ? [own, NOBODY] : [own];
}

/** A machine full of secrets and services, and North's project in the middle of it. */
export class HostilePlace {
    private readonly top = realpathSync(mkdtempSync(path.join(tmpdir(), "north-escapes-")));

    constructor(
        private readonly user: number,
        /** Commands that run before the program, in a mount namespace of their own. */
        private readonly setup: readonly string[],
        plant: (top: string) => void = plantEverything
    ) {
        mkdirSync(path.join(this.top, "tmp"));
        plant(this.top);
        chmodSync(this.top, 0o755);
        if (user !== process.getuid?.()) {
            execFileSync("chown", ["-R", "-h", `${user}:${user}`, this.top]);
        }
    }

    /** Runs a program of this folder there and returns what it prints, one JSON value a line. */
    async run<Line>(program: URL, input: unknown): Promise<Line[]> {
        const file = path.join(this.top, "program.mjs");
        copyFileSync(bundledProgram(program), file);
        chmodSync(file, 0o644);
        const modules = path.join(this.top, "modules/@lydell");
        cpSync(TERMINALS, modules, { recursive: true });
        const isRoot = process.getuid?.() === 0;
        const setup = [
            "set -e",
            `mount --bind ${this.top} ${PLACE}`,
            ...this.setup,
            `exec "$@"`,
        ].join("\n");
        const as = ["--reuid", this.user, "--regid", this.user, "--clear-groups"].map(String);
        const child = spawn(
            "unshare",
            [
                ...(isRoot ? [] : ["--user", "--map-root-user"]),
                ...[
                    "--mount",
                    "bash",
                    "--norc",
                    "-c",
                    `user=${isRoot ? this.user : 0}\n${setup}`,
                    "-",
                ],
                ...(isRoot && this.user !== 0 ? ["setpriv", ...as] : []),
                ...["perl", "-e", KEYRING, process.execPath, path.join(PLACE, "program.mjs")],
            ],
            {
                env: {
                    PATH: process.env.PATH,
                    GIT_CONFIG_SYSTEM: "/dev/null",
                    NODE_PATH: path.join(PLACE, "modules"),
                },
                stdio: ["pipe", "pipe", "pipe"],
            }
        );
        let [output, errors] = ["", ""];
        child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
        child.stderr.on("data", (bytes: Buffer) => (errors += bytes.toString()));
        const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
        child.stdin.end(JSON.stringify(input));
        const code = await closed;
        if (code !== 0) throw new Error(`${code}: ${errors || output}`);
        return output
            .split("\n")
            .filter((line) => line.startsWith("{"))
            .map((line) => JSON.parse(line) as Line);
    }

    remove(): void {
        // Node cannot delete paths of more than 4096 bytes, nor an overlay's own folder.
        execFileSync("chmod", ["-R", "u+rwX", this.top]);
        execFileSync("rm", ["-rf", this.top]);
    }
}

function plantEverything(top: string): void {
    const home = path.join(top, "home");
    writeTree(top, PLANTED);
    for (const tool of ["sdk/bin/tool", ".local/bin/tool", ".cargo/bin/tool"]) {
        chmodSync(path.join(home, tool), 0o755);
    }
    const project = path.join(home, "code/project");
    git(project, "init", "--quiet");
    git(project, "add", "--force", ".");
    git(project, "commit", "--quiet", "-m", "first");
    git(
        project,
        "remote",
        "add",
        "origin",
        "https://ghp_hunter2Xk29fQmZr81LwTqPv63NdYsBc7a@example.org/x.git"
    );
    git(project, "config", "http.extraheader", "Authorization: hunter2-header");
    execFileSync("mkfifo", [path.join(top, "outside/pipe"), path.join(home, ".cargo/pipe")]);
    execFileSync("bash", ["-c", ODD_NAMES, "-", home]);
    execFileSync("cp", ["-a", home, path.join(top, "template")]);
}

function isOpenToAll(place: string): boolean {
    const above = path.dirname(place);
    return (statSync(place).mode & 0o001) !== 0 && (above === place || isOpenToAll(above));
}

/** A session keyring with a key, for the command to find. */
const KEYRING = `
use POSIX ();
my ($add, $keyctl) = (POSIX::uname())[4] eq "x86_64" ? (248, 250) : (217, 219);
syscall($keyctl, 1, 0);
my ($type, $name, $secret) = ("user", "planted", "hunter2-key");
syscall($add, $type, $name, $secret, length $secret, -3);
exec @ARGV;
`;

/** What a path in a TypeScript text cannot say. */
const ODD_NAMES = `
cd "$1/code/project"
mkdir $'odd\\xff' && echo hunter2-odd-env >$'odd\\xff/.env'
`;

const PLANTED = {
    "home/code/project/a.txt": "a\n",
    "home/code/project/src/b.txt": "b\n",
    "home/code/project/.env": "SESSION_KEY=hunter2-env-5f2a9c\n",
    "home/code/project/node_modules/package/.env": "hunter2-dependency-env\n",
    "home/code/project/.dev.vars": "hunter2-dev-vars\n",
    "home/code/project/.env~": "hunter2-backup-env\n",
    "home/code/project/firebase-adminsdk-x.json": "hunter2-firebase\n",
    "home/code/neighbour/private.txt": "hunter2-neighbour\n",
    "home/.ssh/id_rsa": "hunter2-ssh\n",
    "home/.bashrc": "# mine\n",
    "home/.cargo/credentials.toml": "hunter2-cargo\n",
    "home/.cargo/bin/tool": "#!/bin/sh\necho tool\n",
    "home/.config/north/credentials.json": "hunter2-north\n",
    "home/.config/git/config": "[http]\n\textraheader = hunter2-git\n",
    "home/.gradle/init.d/own.gradle":
        'allprojects { credentials { password = "hunter2-gradle-init" } }\n',
    "home/.gradle/gradle.properties": "repositoryPassword=hunter2-gradle\n",
    "home/.local/bin/tool": "#!/bin/sh\necho tool\n",
    "home/.local/share/keyrings/login.keyring": "hunter2-login\n",
    "home/.north/conversations/1.jsonl": "hunter2-conversation\n",
    "home/.npmrc": "//npm.example/:_authToken=hunter2-npm\n",
    "home/.stack/upload/credentials.json": "hunter2-stack\n",
    "home/sdk/bin/tool": "#!/bin/sh\necho tool\n",
    "home/sdk/lib/library": "library\n",
    "home/sdk/.env": "hunter2-sdk-env\n",
    "home/sdk/.aws/credentials": "hunter2-sdk-aws\n",
    "home/sdk/credentials.json": "hunter2-sdk\n",
    "outside/file.txt": "outside\n",
    "outside/private.txt": "hunter2-outside\n",
};
