import { NorthError, type StartContained, type Workspace } from "north-cli/plugin";
import { Connection } from "./connection.js";
import { type Limits, MAX_CHANGES, MAX_FAILURES, MAX_FILE_BYTES } from "./limits.js";
import {
    DEPENDENCY_MARKS,
    findProgram,
    isSetting,
    languageOf,
    type ServerKind,
} from "./servers.js";
import { Session } from "./session.js";

/** What a call or a check gives. */
export interface Caller {
    readonly workspace: Workspace;
    readonly startContained?: StartContained;
    readonly signal: AbortSignal;
}

interface ServerOptions {
    readonly kind: ServerKind;
    /** Absolute path of the repository. */
    readonly root: string;
    /** The server's root, relative to it. */
    readonly folder: string;
    /** Where programs are found, as in `PATH`. */
    readonly searchPath: string;
    readonly limits: Limits;
}

/** Files that differ from the workspace, by path; `null` for none. */
export type Overrides = ReadonlyMap<string, Uint8Array | null>;

/**
 * A language server that starts when it is first needed and ends when nobody needs it. It sees the
 * project through what it is shown: before each use, everything that has changed since the last one.
 */
export class Server {
    private connection: Connection | undefined;
    /** The version of each file that it has seen. */
    private seen = new Map<string, string>();
    private queue: Promise<unknown> = Promise.resolve();
    private failures = 0;
    private idle: NodeJS.Timeout | undefined;

    constructor(private readonly options: ServerOptions) {}

    get kind(): ServerKind {
        return this.options.kind;
    }

    get isInstalled(): boolean {
        const { kind, root, searchPath } = this.options;
        return findProgram(kind, root, searchPath) !== undefined;
    }

    get isRunning(): boolean {
        return this.connection !== undefined;
    }

    /** One at a time: what one proposal is shown is not for another. */
    use<Value>(caller: Caller, work: (session: Session) => Promise<Value>): Promise<Value> {
        const turn = this.queue.then(() => this.run(caller, work));
        this.queue = turn.catch(() => {});
        return turn;
    }

    stop(): void {
        clearTimeout(this.idle);
        this.connection?.stop();
        this.connection = undefined;
    }

    private async run<Value>(
        caller: Caller,
        work: (session: Session) => Promise<Value>
    ): Promise<Value> {
        caller.signal.throwIfAborted();
        clearTimeout(this.idle);
        try {
            await this.started(caller);
            const session = new Session({
                kind: this.kind,
                root: this.options.root,
                caller,
                show: (overrides) => this.show(caller, overrides),
                changed: async () => (await this.changes(caller)).files,
            });
            return await session.during(work);
        } finally {
            this.countEnd();
            this.idle = setTimeout(() => this.stop(), this.options.limits.idle).unref();
        }
    }

    private async started(caller: Caller): Promise<Connection> {
        this.countEnd();
        if (this.connection) return this.connection;
        const { kind, root, folder, searchPath, limits } = this.options;
        const { program, install } = kind;
        const found = findProgram(kind, root, searchPath);
        if (found === undefined) {
            throw new NorthError("no-language-server", `${program} is not installed.`, [
                `The user can install it: ${install}`,
            ]);
        }
        const { startContained: start } = caller;
        if (!start) {
            throw new NorthError("containment-failed", `${program} cannot run contained here.`);
        }
        if (this.failures >= MAX_FAILURES) {
            throw new NorthError(
                "server-failed",
                `${program} has failed ${MAX_FAILURES} times and is not started again.`
            );
        }
        // Before the start: what changes meanwhile is shown later.
        this.seen = new Map(await this.versions(caller));
        const options = { kind, program: found, root, folder, start, limits };
        this.failures += 1;
        const connection = await Connection.open(options);
        this.failures -= 1;
        this.connection = connection;
        return connection;
    }

    /** Whatever ends it but `stop` is a failure. */
    private countEnd(): void {
        if (this.connection?.isAlive !== false) return;
        this.connection = undefined;
        this.failures += 1;
    }

    /** Shows it the project as it is now, with other contents on top. */
    private async show(caller: Caller, overrides: Overrides): Promise<Connection> {
        let connection = await this.started(caller);
        let changes = await this.changes(caller);
        if (changes.needsRestart) {
            this.stop();
            connection = await this.started(caller);
            changes = await this.changes(caller);
        }
        const { changed, gone } = changes;
        const files = new Map<string, Uint8Array | null>(gone.map((file) => [file, null]));
        for (const file of changed.keys()) {
            const content = await contentOf(caller.workspace, file);
            if (content) files.set(file, content);
        }
        for (const [file, content] of overrides) files.set(file, content);
        if (files.size === 0) return connection;
        const known = new Set(this.seen.keys());
        // Until it has succeeded, nobody knows what it sees of them.
        for (const file of files.keys()) this.seen.set(file, "unknown");
        await connection.show(files, (file) => !known.has(file));
        for (const [file, version] of changed) this.seen.set(file, version);
        for (const [file, content] of files) {
            if (content === null) this.seen.delete(file);
            else if (overrides.has(file)) this.seen.set(file, "proposed");
        }
        return connection;
    }

    /** What differs from what it has seen. */
    private async changes(caller: Caller) {
        const versions = await this.versions(caller);
        const changed = new Map(
            [...versions].filter(([file, version]) => this.seen.get(file) !== version)
        );
        const gone = [...this.seen.keys()].filter((file) => !versions.has(file));
        const files = [...changed.keys(), ...gone];
        const needsRestart =
            files.length > MAX_CHANGES || files.some((file) => isSetting(this.kind, file));
        return { changed, gone, files, needsRestart };
    }

    private async versions({ workspace, signal }: Caller) {
        const files = (await workspace.files({ signal })).filter(
            (file) => languageOf(this.kind, file) !== undefined || isSetting(this.kind, file)
        );
        return workspace.versions([...files, ...DEPENDENCY_MARKS], { signal });
    }
}

/** `undefined` for what it may not see, or cannot be shown. */
export async function contentOf(
    workspace: Workspace,
    file: string
): Promise<Uint8Array | undefined> {
    try {
        const { bytes } = await workspace.read(file, { maxBytes: MAX_FILE_BYTES });
        return bytes.includes(0) ? undefined : bytes;
    } catch {
        return undefined;
    }
}
