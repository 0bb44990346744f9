import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { NorthError } from "../../base/north-error.js";
import { visibleLine } from "../../base/safe-text.js";
import type {
    ContainedResult,
    ContainedRuns,
    SetVariables,
} from "../../core/approval/contained-runs.js";
import type { ContainmentMode, ShellRunOptions } from "../../plugin/index.js";
import type { ContainmentOptions } from "../../shell/containment/containment.js";
import type { OpenedContainment } from "../../shell/containment/open-containment.js";
import type { OwnedShell } from "../../shell/open-shell.js";
import type { ContainmentSettings } from "../../storage/config.js";
import type { NorthDirectories } from "../../storage/files/directories.js";
import { createRedactor } from "../../storage/files/redact.js";

const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_TIMEOUT_MS = 600_000;

/** Files in DATA: what was said once on this machine. */
const [INTRODUCED, UNAVAILABLE] = ["containment-introduced", "no-containment-told"];

const INTRODUCTION =
    "Commands run contained first: no network, and you review their changes before they apply. " +
    "/contain shows details or turns it off; without the chat, --contain off does.";

export interface ContainedCommandsOptions {
    readonly root: string;
    readonly directories: NorthDirectories;
    readonly environment: NodeJS.ProcessEnv;
    readonly settings: ContainmentSettings;
    readonly shell: OwnedShell;
    readonly isIgnored: (path: string, type: "file" | "dir") => Promise<boolean>;
}

/** Runs a project's commands contained, in the state of its shell. Starts lazily. */
export class ContainedCommands implements ContainedRuns {
    mode: ContainmentMode;
    private opening: Promise<OpenedContainment> | undefined;
    private isAvailable: boolean | undefined;

    constructor(private readonly options: ContainedCommandsOptions) {
        this.mode = options.settings.mode;
    }

    async unavailable(): Promise<string | undefined> {
        const opened = await this.opened();
        return opened.kind === "unavailable" ? opened.reason : undefined;
    }

    /** Whether commands run contained. Until the first one has found out, whether they did in earlier sessions. */
    get isWorking(): boolean {
        return this.mode !== "off" && (this.isAvailable ?? existsSync(this.fileOf(INTRODUCED)));
    }

    async notice(): Promise<string | undefined> {
        const reason = await this.unavailable();
        const file = reason === undefined ? INTRODUCED : UNAVAILABLE;
        if (!(await this.isFirst(file))) return undefined;
        if (reason === undefined) return INTRODUCTION;
        return `Commands cannot run contained here, so North asks before each: ${reason}\n\`north doctor\` says what to do.`;
    }

    async run(
        command: string,
        folder: string,
        options: Pick<ShellRunOptions, "cwd" | "timeoutMs" | "signal" | "onOutput">
    ): Promise<ContainedResult> {
        if (command.includes("\0")) {
            throw new NorthError("invalid-command", "A command cannot contain a NUL character.");
        }
        const opened = await this.opened();
        if (opened.kind === "unavailable") {
            throw new NorthError("containment-failed", opened.reason, opened.nextSteps);
        }
        const { shell } = this.options;
        const { cwd, onOutput, timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options;
        const state = { ...(await shell.state()), folder };
        const run = await opened.containment.run({
            command,
            state,
            timeoutMs: Math.min(Math.max(timeoutMs, 1), MAX_TIMEOUT_MS),
            signal: signal ?? new AbortController().signal,
            onOutput,
        });
        const { outcome, effects, refusal, notes } = run;
        const stopped = outcome.timedOut ? ["It was stopped; its changes were discarded."] : [];
        return {
            outcome,
            effects,
            needs: refusal?.text,
            notes: [...notes, ...stopped],
            keep: () => {
                shell.keepFromContained(run.variables, cwd === undefined ? run.folder : undefined);
                const names = [...run.variables.keys()].map(visibleLine);
                if (names.length === 0) return [];
                return [
                    `${names.join(", ")}: kept for contained commands. Real ones get it only if the user approves it with them.`,
                ];
            },
        };
    }

    async setVariables(): Promise<SetVariables | undefined> {
        const { shell } = this.options;
        const variables = await shell.setByContained();
        if (variables.size === 0) return undefined;
        const redact = createRedactor([]);
        return {
            shown: [...variables].map(([name, value]) => redact(`${name}=${value}`)),
            shell: {
                get cwd() {
                    return shell.cwd;
                },
                resolve: (cwd) => shell.resolve(cwd),
                run: (command, options) => shell.run(command, { ...options, variables }),
                start: (command, options) => shell.start(command, { ...options, variables }),
            },
        };
    }

    async describe(): Promise<readonly string[]> {
        const opened = await this.opened();
        return opened.kind === "available"
            ? opened.containment.describe()
            : [opened.reason, ...opened.nextSteps];
    }

    async dispose(): Promise<void> {
        const opened = await this.opening?.catch(() => undefined);
        if (opened?.kind === "available") await opened.containment.dispose();
    }

    private opened(): Promise<OpenedContainment> {
        this.opening ??= this.open();
        return this.opening;
    }

    private async open(): Promise<OpenedContainment> {
        const { openContainment } = await import("../../shell/containment/open-containment.js");
        const opened = await openContainment(containmentOptions(this.options));
        this.isAvailable = opened.kind === "available";
        if (!this.isAvailable) await rm(this.fileOf(INTRODUCED), { force: true }).catch(() => {});
        return opened;
    }

    private async isFirst(name: string): Promise<boolean> {
        try {
            await mkdir(this.options.directories.data, { recursive: true });
            await writeFile(this.fileOf(name), "", { flag: "wx" });
            return true;
        } catch {
            return false;
        }
    }

    private fileOf(name: string): string {
        return path.join(this.options.directories.data, name);
    }
}

export function containmentOptions({
    root,
    environment,
    directories,
    settings,
    isIgnored,
}: Omit<ContainedCommandsOptions, "shell">): ContainmentOptions {
    return {
        root,
        environment,
        layerFolders: layerFolders(directories),
        hiddenFolders: Object.values(directories),
        settings,
        isIgnored,
    };
}

/** Where layers are kept and swept. */
export function layerFolders({ data }: NorthDirectories): readonly string[] {
    return [path.join(data, "contained")];
}
