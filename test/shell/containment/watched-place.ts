import { execFileSync, spawnSync } from "node:child_process";
import {
    chmodSync,
    chownSync,
    copyFileSync,
    mkdirSync,
    mkdtempSync,
    realpathSync,
    rmSync,
    statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect } from "chai";

import type { Limits, Refusal } from "../../../src/shell/containment/containment.js";
import { findLandlock } from "../../../src/shell/containment/linux/landlock.js";
import { bundledProgram } from "../../helpers/bundled-program.js";
import { sampled } from "../../helpers/sample.js";
import { git, writeTree } from "../../workspace/make-folder.js";
import { pictureOf } from "./picture.js";

export const PROGRAM = new URL("./contained-program.ts", import.meta.url);
const NOBODY = 65534;

/**
 * A machine with `user.max_user_namespaces=0`. The limit is one of a user namespace, so this one has
 * all users, and the machine's own limit stays. Root has its capabilities there only after another
 * `exec` once the users are mapped.
 */
export const WITHOUT_NAMESPACES = `exec 3<&0
unshare --user bash -ec 'until [[ $(</proc/self/gid_map) ]]; do sleep 0.01; done; exec bash -ec "
    echo 0 >/proc/sys/user/max_user_namespaces
    ! unshare --user true 2>/dev/null
    exec \\"\\$@\\"
" - "$@"' - "$@" <&3 &
for map in uid gid; do
    until echo "0 0 4294967295" >/proc/$!/"$map"_map; do sleep 0.01; done 2>/dev/null
done
wait $! && exit
exit 1`;

/** 0 without Landlock. */
export function landlockVersion(): number {
    const found = process.platform === "linux" ? findLandlock() : { missing: "not Linux" };
    return "missing" in found ? 0 : found.version;
}

/** How `contained-program.ts` tells of a command. */
export interface ContainedLine {
    readonly command: string;
    readonly outcome: {
        readonly stdout: string;
        readonly stderr: string;
        readonly exitCode: number;
        readonly timedOut?: boolean;
    };
    readonly refusal?: Refusal;
    readonly effects: readonly string[];
    /** Where the next command starts. */
    readonly folder: string;
    /** Lines of the picture that are no longer as before the command. */
    readonly changed?: string;
}

/**
 * Whoever runs the tests; for root, unless sampled, somebody without rights too, who can read this
 * checkout.
 */
export function usersToTry(): readonly number[] {
    const own = process.getuid?.() ?? 0;
    return own === 0 && isOpenToAll(path.resolve()) ? sampled([own, NOBODY], 1) : [own];
}

function isOpenToAll(checkout: string): boolean {
    const above = (folder: string): boolean =>
        (statSync(folder).mode & 0o001) !== 0 &&
        (folder === path.dirname(folder) || above(path.dirname(folder)));
    return (statSync(checkout).mode & 0o004) !== 0 && above(checkout);
}

export interface RunSettings {
    readonly timeoutMs?: number;
    readonly limits?: Partial<Limits>;
    readonly show?: readonly string[];
    readonly hiddenFolders?: readonly string[];
    readonly searchPath?: string;
    /** Variables of North itself. */
    readonly environment?: Readonly<Record<string, string>>;
    /** The project, if it was moved. */
    readonly root?: string;
    /** Mounts, as root and in a mount namespace of their own, in which North then runs. */
    readonly within?: string;
}

/** A place with a project, a HOME with secrets and a neighbour, of which every file is watched. */
export class WatchedPlace {
    readonly top = realpathSync(mkdtempSync(path.join(tmpdir(), "north-escape-")));
    readonly root = path.join(this.top, "home/code/project");
    readonly home = path.join(this.top, "home");
    /** A copy that every user can read. */
    private readonly program = path.join(this.top, "tmp/program.mjs");

    constructor(
        private readonly user: number,
        prepare: (root: string) => void = () => {}
    ) {
        writeTree(this.top, {
            "home/code/project/a.txt": "a\n",
            "home/code/project/.env": "hunter2\n",
            "home/code/neighbour/private.txt": "hunter2\n",
            "home/.ssh/id_rsa": "hunter2\n",
            "home/.bashrc": "# mine\n",
            "home/.cargo/credentials.toml": "hunter2\n",
            "home/.config/north/credentials.json": "hunter2\n",
            "home/.cargo/bin/tool": "#!/bin/sh\necho tool\n",
            "outside/file.txt": "outside\n",
        });
        mkdirSync(path.join(this.home, "data"));
        mkdirSync(path.join(this.top, "tmp"));
        copyFileSync(bundledProgram(PROGRAM), this.program);
        git(this.root, "init", "--quiet");
        prepare(this.root);
        chmodSync(this.top, 0o755);
        if (user !== process.getuid?.()) own(this.top, user);
    }

    hash(): string[] {
        return pictureOf(this.top);
    }

    run(
        commands: readonly string[],
        { within, environment, ...settings }: RunSettings = {}
    ): ContainedLine[] {
        const { root, home, top } = this;
        const input = JSON.stringify({ root, home, commands, top, ...settings });
        const as = ["--reuid", String(this.user), "--regid", String(this.user), "--clear-groups"];
        const node = [process.execPath, this.program];
        const own = this.user === process.getuid?.() ? node : ["setpriv", ...as, ...node];
        const apart = ["unshare", "--mount", "bash", "-ec", `${within}\nexec "$@"`, "bash"];
        const [program = "", ...rest] = within === undefined ? own : [...apart, ...own];
        const { stdout, stderr, status, signal } = spawnSync(program, rest, {
            input,
            encoding: "utf8",
            env: {
                PATH: process.env.PATH,
                HOME: this.home,
                TMPDIR: path.join(this.top, "tmp"),
                ...environment,
            },
            maxBuffer: 64 * 1024 * 1024,
        });
        expect(stdout, `${status ?? signal}: ${stderr}`).not.to.equal("");
        const results = stdout
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line) as ContainedLine);
        expect(results.length, stdout + stderr).to.equal(commands.length);
        expect(stdout).not.to.match(/^{"unavailable"/);
        return results;
    }

    remove(): void {
        rmSync(this.top, { recursive: true, force: true });
    }
}

function own(folder: string, user: number): void {
    execFileSync("chown", ["-R", `${user}:${user}`, folder]);
    chownSync(folder, user, user);
}
