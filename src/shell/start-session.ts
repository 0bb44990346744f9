import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isExpectedError, NorthError } from "../base/north-error.js";
import { absoluteSearchPath } from "../base/search-path.js";
import { ControlChannel } from "./control-channel.js";
import { shellEnvironment } from "./environment.js";
import { findBash } from "./find-bash.js";
import { PipePool } from "./pipe-pool.js";
import { createPrivateFolder } from "./private-folder.js";
import { Session } from "./session.js";
import { SessionProcesses } from "./session-processes.js";
import { startTerminal } from "./session-terminal.js";
import { startWatchdog } from "./watchdog.js";

export interface SessionOptions {
    readonly root: string;
    readonly folder: string;
    readonly environment: NodeJS.ProcessEnv;
    readonly withheldVariables: readonly string[];
}

/** Rejects with `shell-unavailable`. */
export async function startSession(options: SessionOptions): Promise<Session> {
    const { root, environment, withheldVariables } = options;
    let folder: string | undefined;
    let failure: unknown;
    try {
        const bash = await findBash(environment.PATH);
        folder = await runtimeFolder(root, environment);
        const id = randomBytes(12).toString("hex");
        const variables = shellEnvironment(environment, withheldVariables, id);
        const session = await assemble(options.folder, folder, bash, id, variables);
        if (await session.prepare()) return session;
        await session.end();
    } catch (error) {
        if (folder !== undefined) await rm(folder, { recursive: true, force: true });
        failure = error;
    }
    throw isExpectedError(failure) ? failure : unavailable(failure);
}

/**
 * The folder for pipes. Prefer XDG_RUNTIME_DIR: commands and system services clean up temporary
 * folders.
 */
async function runtimeFolder(root: string, environment: NodeJS.ProcessEnv): Promise<string> {
    const places = [environment.XDG_RUNTIME_DIR, tmpdir(), "/var/tmp", "/dev/shm"];
    const folder =
        (await createPrivateFolder("shell", places, root)) ??
        (await createPrivateFolder("shell", [tmpdir()]));
    if (folder === undefined) throw unavailable(undefined);
    return folder;
}

async function assemble(
    start: string,
    folder: string,
    bash: string,
    id: string,
    environment: Record<string, string>
): Promise<Session> {
    const input = path.join(folder, "input");
    const reports = path.join(folder, "reports");
    const pool = new PipePool(folder);
    await pool.fill([input, reports]);
    const control = new ControlChannel(input, reports);
    try {
        const terminal = await startTerminal({ bash, input, folder: start, environment });
        const mark = { shell: terminal.pid, id, terminal: terminal.path };
        const watchdog = startWatchdog(mark, folder, absoluteSearchPath(environment.PATH));
        const processes = new SessionProcesses(mark);
        return new Session({ folder, terminal, control, pool, processes, watchdog });
    } catch (error) {
        control.close();
        throw error;
    }
}

function unavailable(cause: unknown): NorthError {
    return new NorthError(
        "shell-unavailable",
        "The shell could not be started.",
        ["Try `bash --noprofile --norc -i` in a terminal to see why; North needs it and mkfifo."],
        { cause }
    );
}
