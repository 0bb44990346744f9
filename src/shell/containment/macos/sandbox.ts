import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { BoundedOutput } from "../../bounded-output.js";
import { findBash } from "../../find-bash.js";
import { withStreams } from "../../../base/child-streams.js";
import { quote } from "../../../base/shell-quote.js";
import { collector } from "../../running-output.js";
import { signal as signalProcess } from "../../session-processes.js";
import { stopFlags, stopOf } from "../../stop-reason.js";
import { cleanEnvironment } from "../clean-environment.js";
import type {
    ContainedRequest,
    ContainedRun,
    Containment,
    ContainmentOptions,
} from "../containment.js";
import { findRefusal, type Refused } from "../find-refusal.js";
import { HiddenFiles } from "../hidden-files.js";
import { failed } from "../linux/supervision.js";
import { SHOWN } from "../toolchains.js";

const KILLED = 137;
/** Errors are recognized in English only. */
const NO_WORDS = { readOnly: undefined, denied: undefined, missing: undefined };

/** What every program needs besides files. */
const PROCESSES = [
    "(allow process-exec process-fork)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow ipc-posix-sem)",
    "(allow pseudo-tty)",
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
];

/** Links count by their targets: `/etc` is `/private/etc`, and `/var/folders` is in `/private` too. */
const SYSTEM = [
    "/Applications/Xcode.app",
    "/Library/Developer",
    "/Library/Frameworks",
    "/Library/Java",
    "/System",
    "/bin",
    "/nix",
    "/opt",
    "/private/etc",
    "/private/var/db/dyld",
    "/private/var/db/timezone",
    "/private/var/select",
    "/sbin",
    "/usr",
];
const SECRETS = ["/private/etc/master.passwd", "/private/etc/ssh", "/private/etc/sudoers"];

/**
 * Contained runs with macOS's `sandbox-exec`: the project is read-only and there is no network.
 * Written from the documentation of the profile language; not tested on a Mac.
 */
export class SandboxContainment implements Containment {
    readonly kind = "sandbox-exec";
    readonly reachesHosts = false;
    readonly showsViews = false;
    private readonly hidden: HiddenFiles;
    private readonly inHome: HiddenFiles | undefined;
    private readonly scratch: string;

    constructor(private readonly options: ContainmentOptions & { readonly home?: string }) {
        const { root, home } = options;
        this.hidden = new HiddenFiles(root, { home });
        this.inHome =
            home === undefined
                ? undefined
                : new HiddenFiles(home, { paths: SHOWN, depth: 3, home });
        this.scratch = realpathSync(mkdtempSync(path.join(tmpdir(), "north-contained-")));
        chmodSync(this.scratch, 0o700);
    }

    async run(request: ContainedRequest): Promise<ContainedRun> {
        if (request.view?.files.size) throw failed("here it can only read what is on disk");
        const { state, command, onOutput, timeoutMs, signal } = request;
        const bash = await findBash(this.options.environment.PATH);
        const hiddenFiles = await this.hidden.listInSlices();
        const [stdout, stderr] = [new BoundedOutput(), new BoundedOutput()];
        mkdirSync(this.scratch, { recursive: true });
        const script = `shopt -s expand_aliases\n${state.definitions}\ncd -P -- ${quote(state.folder)} || exit 1\n${command}\n`;
        const began = Date.now();
        const child = withStreams(
            spawn(
                "/usr/bin/sandbox-exec",
                ["-p", this.profile(hiddenFiles), bash, "--noprofile", "--norc", "-c", script],
                {
                    cwd: state.folder,
                    detached: true,
                    env: {
                        ...Object.fromEntries(cleanEnvironment(state.variables)),
                        TMPDIR: this.scratch,
                    },
                    stdio: ["ignore", "pipe", "pipe"],
                }
            )
        );
        child.stdout.on("data", collector("stdout", stdout, { listener: onOutput }));
        child.stderr.on("data", collector("stderr", stderr, { listener: onOutput }));
        const exit = new Promise<number>((resolve) => {
            child.once("error", () => resolve(KILLED));
            child.once("close", (code) => resolve(code ?? KILLED));
        });
        const stopped = await stopOf(exit, { timeoutMs, signal });
        // Also kill what it left in the background.
        if (child.pid !== undefined) signalProcess(-child.pid, "SIGKILL");
        const outcome = {
            exitCode: await exit,
            stdout: stdout.text(),
            stderr: stderr.text(),
            durationMs: Date.now() - began,
            truncated: stdout.truncated || stderr.truncated,
            ...stopFlags(stopped),
        };
        const effects = { changes: [], notes: [] };
        const isRefused = outcome.exitCode !== 0 && /Operation not permitted/.test(outcome.stderr);
        const { refusal, notes }: Refused = isRefused
            ? { refusal: { what: "outside", text: "It needs to write files" }, notes: [] }
            : findRefusal({
                  outcome,
                  counters: undefined,
                  effects,
                  command,
                  words: NO_WORDS,
                  root: this.options.root,
                  folder: state.folder,
                  variables: state.variables,
                  home: this.options.home,
                  nameHidden: (location) => {
                      const relative = path.relative(this.options.root, location);
                      return hiddenFiles.includes(relative) ? { name: relative } : undefined;
                  },
              });
        return {
            outcome,
            folder: state.folder,
            variables: new Map(),
            effects: [],
            outputs: [],
            notes,
            ...(refusal ? { refusal } : {}),
        };
    }

    async trial(): Promise<string | undefined> {
        const { signal } = new AbortController();
        const state = { folder: this.options.root, variables: new Map(), definitions: "" };
        const { outcome } = await this.run({ command: "true", state, timeoutMs: 10_000, signal });
        return outcome.exitCode === 0 ? undefined : `failed: ${outcome.stderr.trim()}`;
    }

    describe(): readonly string[] {
        return this.profile(this.hidden.list()).split("\n");
    }

    dispose(): Promise<void> {
        return rm(this.scratch, { recursive: true, force: true });
    }

    /** Denies what it does not name: Apple events, launch services, the keychain. The last rule wins. */
    private profile(hiddenFiles: readonly string[]): string {
        const { root, home, hiddenFolders } = this.options;
        const inHome = (paths: readonly string[]) =>
            home === undefined ? [] : paths.map((location) => path.join(home, location));
        const hidden = [
            ...SECRETS,
            ...inHome(this.inHome?.list() ?? []),
            ...hiddenFiles.map((file) => path.join(root, file)),
            ...hiddenFolders,
        ];
        return [
            "(version 1)",
            "(deny default)",
            ...PROCESSES,
            "(allow file-read-metadata)",
            ...[...SYSTEM, ...inHome(SHOWN), root, this.scratch].map(
                (location) => `(allow file-read* (subpath ${literal(location)}))`
            ),
            `(allow file-write* (subpath ${literal(this.scratch)}))`,
            '(allow file-read* file-write* file-ioctl (subpath "/dev"))',
            ...hidden.map((location) => `(deny file-read* (subpath ${literal(location)}))`),
            "(deny network*)",
        ].join("\n");
    }
}

function literal(path: string): string {
    return `"${path.replace(/["\\]/g, "\\$&")}"`;
}
