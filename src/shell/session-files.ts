import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { NorthError } from "../base/north-error.js";
import { HAS_ANONYMOUS_PIPES, type Pipe, PipePool } from "./pipe-pool.js";
import { createPrivateFolder } from "./private-folder.js";

interface SessionFilesOptions {
    readonly bash: string;
    readonly root: string;
    readonly environment: NodeJS.ProcessEnv;
}

/**
 * What North and a session share: pipes, and a file with the command's text. Where the system
 * allows it, none of it has a name in any folder once the session starts.
 */
export class SessionFiles {
    static async create({ bash, root, environment }: SessionFilesOptions): Promise<SessionFiles> {
        const folder = await runtimeFolder(root, environment);
        let command: number | undefined;
        let pool: PipePool | undefined;
        try {
            const file = path.join(folder, "command");
            command = openSync(file, "wx+", 0o600);
            const isNamed = !HAS_ANONYMOUS_PIPES;
            if (!isNamed) await rm(folder, { recursive: true });
            pool = new PipePool({ bash, folder: isNamed ? folder : undefined });
            const [input, reports] = [await pool.take(), await pool.take()];
            const commandPath = isNamed ? file : `/proc/${process.pid}/fd/${command}`;
            const named = isNamed ? folder : undefined;
            return new SessionFiles(named, pool, input, reports, command, commandPath);
        } catch (error) {
            pool?.close();
            if (command !== undefined) closeSync(command);
            await rm(folder, { recursive: true, force: true });
            throw error;
        }
    }

    private isClosed = false;

    private constructor(
        /** The folder for files that need a name. */
        readonly folder: string | undefined,
        readonly pool: PipePool,
        readonly input: Pipe,
        readonly reports: Pipe,
        private readonly command: number,
        readonly commandPath: string
    ) {}

    writeCommand(text: string): void {
        ftruncateSync(this.command);
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length;) {
            at += writeSync(this.command, bytes, at, bytes.length - at, at);
        }
    }

    async close(): Promise<void> {
        if (this.isClosed) return;
        this.isClosed = true;
        this.pool.close();
        closeSync(this.command);
        if (this.folder === undefined) return;
        await rm(this.folder, { recursive: true, force: true }).catch(() => {});
    }
}

/** Prefer XDG_RUNTIME_DIR: commands and system services clean up temporary folders. */
async function runtimeFolder(root: string, environment: NodeJS.ProcessEnv): Promise<string> {
    const places = [environment.XDG_RUNTIME_DIR, tmpdir(), "/var/tmp", "/dev/shm"];
    const folder =
        (await createPrivateFolder("shell", places, root)) ??
        (await createPrivateFolder("shell", [tmpdir()]));
    if (folder !== undefined) return folder;
    throw new NorthError("shell-unavailable", "There is no temporary folder to start the shell.");
}
