import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";

import { isExpectedError, NorthError } from "../base/north-error.js";
import { absoluteSearchPath } from "../base/search-path.js";
import { ControlChannel } from "./control-channel.js";
import { shellEnvironment } from "./environment.js";
import { findBash } from "./find-bash.js";
import { PipePool } from "./pipe-pool.js";
import { createRuntimeFolder } from "./runtime-folder.js";
import { Session } from "./session.js";
import { SessionProcesses } from "./session-processes.js";
import { startTerminal } from "./session-terminal.js";
import { startWatchdog } from "./watchdog.js";

export interface SessionOptions {
    readonly root: string;
    /** The folder it starts in. */
    readonly folder: string;
    readonly environment: NodeJS.ProcessEnv;
    readonly withheldVariables: readonly string[];
    /** Where its private folder is made. */
    readonly runtimeFolder?: string;
}

/** Rejects with `shell-unavailable`. */
export async function startSession(options: SessionOptions): Promise<Session> {
    try {
        return await start(options);
    } catch (cause) {
        if (isExpectedError(cause)) throw cause;
        throw unavailable(cause);
    }
}

async function start(options: SessionOptions): Promise<Session> {
    const { root, environment, withheldVariables } = options;
    const bash = await findBash(environment.PATH);
    const folder = await createRuntimeFolder(root, environment, options.runtimeFolder);
    try {
        const id = randomBytes(12).toString("hex");
        const variables = shellEnvironment(environment, withheldVariables, id);
        const session = await assemble(options.folder, folder, bash, id, variables);
        if (await session.prepare()) return session;
        await session.end();
    } catch (error) {
        await rm(folder, { recursive: true, force: true });
        throw error;
    }
    throw unavailable(undefined);
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
