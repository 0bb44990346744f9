import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { isExpectedError } from "north-cli/plugin";
import type { CallOptions, Connection } from "./connect.js";
import type { Definition } from "./definitions.js";
import { NORTH_ENDED, reasonOf } from "./reason.js";
import type { Launch } from "./launch.js";
import type { Store, ToolOffer } from "./stored.js";

/** Programs that are fetched before they run take their time. */
const START_MS = 30_000;

export interface ServerOptions {
    readonly definition: Definition;
    readonly launch: Launch;
    readonly root: string;
    readonly store: Store;
}

/** A server that is started when it is first needed, and again when it has ended. */
export class Server {
    private connecting: Promise<Connection> | undefined;

    constructor(private readonly options: ServerOptions) {}

    /** Asks what it offers, and keeps the answer, or why there was none, for the next start. */
    async learn(): Promise<readonly ToolOffer[]> {
        const { store, definition } = this.options;
        try {
            const tools = await (await this.connection()).list();
            await store.learn(definition, { kind: "tools", tools });
            return tools;
        } catch (error) {
            if (!isEndOfNorth(error)) {
                await store.learn(definition, { kind: "failed", reason: reasonOf(error) });
            }

            throw error;
        }
    }

    /** Rejects with a `NorthError`, or with the signal's reason. */
    async call(tool: string, input: unknown, options: CallOptions): Promise<CallToolResult> {
        options.signal.throwIfAborted();
        const isNew = this.connecting === undefined;
        const connection = await untilAborted(this.connection(), options.signal);
        if (isNew) this.refresh();
        return connection.call(tool, input, options);
    }

    close(): void {
        void this.connecting?.then((connection) => connection.close()).catch(() => {});
    }

    private connection(): Promise<Connection> {
        if (this.connecting) return this.connecting;
        // A late word of an earlier connection must not end this one.
        const isOver = () => {
            if (this.connecting === connecting) this.connecting = undefined;
        };
        const connecting = this.start(isOver);
        this.connecting = connecting;
        connecting.catch(isOver);
        return connecting;
    }

    private async start(onEnd: () => void): Promise<Connection> {
        const { definition, launch, root } = this.options;
        // The SDK takes its time to load: only once a server is needed.
        const { connect } = await import("./connect.js");
        return connect({
            name: definition.name,
            launch,
            root,
            startMs: START_MS,
            onEnd,
            onToolsChanged: () => this.refresh(),
        });
    }

    /** What it offers now counts from the next start of North on. */
    private refresh(): void {
        const { store, definition } = this.options;
        void this.connecting
            ?.then((connection) => connection.list())
            .then((tools) => store.learn(definition, { kind: "tools", tools }))
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
