import { randomBytes } from "node:crypto";
import { isExpectedError } from "../base/north-error.js";
import { absoluteSearchPath } from "../base/search-path.js";
import { ControlChannel } from "./control-channel.js";
import { shellEnvironment } from "./environment.js";
import { findBash, shellUnavailable } from "./find-bash.js";
import { Session } from "./session.js";
import { SessionFiles } from "./session-files.js";
import { SessionProcesses } from "./session-processes.js";
import { startTerminal } from "./session-terminal.js";
import { startWatchdog } from "./watchdog.js";

/** Rejects with `shell-unavailable`. */
export async function startSession(options: {
    readonly root: string;
    readonly folder: string;
    readonly environment: NodeJS.ProcessEnv;
    readonly withheldVariables: readonly string[];
}): Promise<Session> {
    const { root, environment, withheldVariables } = options;
    let files: SessionFiles | undefined;
    let failure: unknown;
    try {
        const bash = await findBash(environment.PATH);
        files = await SessionFiles.create({ bash, root, environment });
        const id = randomBytes(12).toString("hex");
        const variables = shellEnvironment(environment, withheldVariables, id);
        const session = await assemble(options.folder, files, bash, id, variables);
        if (await session.prepare()) return session;
        await session.end();
    } catch (error) {
        await files?.close();
        failure = error;
    }
    throw isExpectedError(failure) ? failure : shellUnavailable(failure);
}

async function assemble(
    start: string,
    files: SessionFiles,
    bash: string,
    id: string,
    environment: Record<string, string>
): Promise<Session> {
    const input = files.input.path;
    const control = new ControlChannel(input, files.reports.path);
    try {
        const terminal = await startTerminal({ bash, input, folder: start, environment });
        const mark = { shell: terminal.pid, id, terminal: terminal.path };
        const searchPath = absoluteSearchPath(environment.PATH);
        const dismissWatchdog = startWatchdog(mark, files.folder, searchPath);
        const processes = new SessionProcesses(mark);
        return new Session({ files, terminal, control, processes, dismissWatchdog });
    } catch (error) {
        control.close();
        throw error;
    }
}
