import { isExpectedError } from "north-cli/plugin";
import type { Connection } from "./connect.js";
import type { Definition } from "./definitions.js";
import { NORTH_ENDED, reasonOf, SESSION_LOST } from "./reason.js";
import type { Launch } from "./launch.js";
import type { McpFolders } from "./folders.js";
import { startFolder } from "./start-folder.js";
import type { Offers, Store } from "./stored.js";

/** Generous, for programs that are downloaded before they run. */
const START_MS = 30_000;

interface ServerOptions {
    readonly definition: Definition;
    readonly launch: Launch;
    readonly folders: McpFolders;
    readonly store: Store;
}

/** A server that starts on demand, and again after it has ended. */
export class Server {
    private connecting: Promise<Connection> | undefined;

    constructor(private readonly options: ServerOptions) {}

    /** Asks the server for its offers; stores them, or the error, for the next start. */
    async learn(): Promise<Offers> {
        const { store, definition } = this.options;
        try {
            const offers = await (await this.connection()).list();
            await store.learn(definition, { kind: "offers", ...offers });
            return offers;
        } catch (error) {
            if (!isEndOfNorth(error)) {
                await store.learn(definition, { kind: "failed", reason: reasonOf(error) });
            }

            throw error;
        }
    }

    /**
     * Makes a request of the server, which is started if needed; once more in a new session if the
     * server has forgotten the first. Rejects with a `NorthError`, or with the signal's reason.
     */
    async request<Answer>(
        signal: AbortSignal,
        send: (connection: Connection) => Promise<Answer>
    ): Promise<Answer> {
        try {
            return await send(await this.running(signal));
        } catch (error) {
            if (!isExpectedError(error) || error.code !== SESSION_LOST) throw error;
            return send(await this.running(signal));
        }
    }

    private async running(signal: AbortSignal): Promise<Connection> {
        signal.throwIfAborted();
        const isNew = this.connecting === undefined;
        const connection = await untilAborted(this.connection(), signal);
        if (isNew) this.refresh();
        return connection;
    }

    close(): void {
        void this.connecting?.then((connection) => connection.close()).catch(() => {});
    }

    private connection(): Promise<Connection> {
        if (this.connecting) return this.connecting;
        // A late event of an earlier connection must not end this one.
        const isOver = () => {
            if (this.connecting === connecting) this.connecting = undefined;
        };
        const connecting = this.start(isOver);
        this.connecting = connecting;
        connecting.catch(isOver);
        return connecting;
    }

    private async start(onEnd: () => void): Promise<Connection> {
        const { definition, launch, folders, store } = this.options;
        const folder = await startFolder(definition, launch, folders);
        // Imported lazily: the SDK is slow to load.
        const { connect } = await import("./connect.js");
        const { signedIn } = await import("./sign-in-tokens.js");
        const authProvider = await signedIn(store, definition);
        return connect({
            ...(authProvider ? { authProvider } : {}),
            name: definition.name,
            launch,
            folder,
            root: folders.root,
            startMs: START_MS,
            onEnd,
            onListChanged: () => this.refresh(),
        });
    }

    /** Stores the current offers for the next start. */
    private refresh(): void {
        const { store, definition } = this.options;
        void this.connecting
            ?.then((connection) => connection.list())
            .then((offers) => store.learn(definition, { kind: "offers", ...offers }))
            .catch(() => {});
    }
}

function isEndOfNorth(error: unknown): boolean {
    return isExpectedError(error) && error.code === NORTH_ENDED;
}

async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
    let onAbort = () => {};
    const aborted = new Promise<never>((_resolve, reject) => {
        onAbort = () => reject(signal.reason);
        signal.addEventListener("abort", onAbort, { once: true });
    });
    return Promise.race([promise, aborted]).finally(() =>
        signal.removeEventListener("abort", onAbort)
    );
}
