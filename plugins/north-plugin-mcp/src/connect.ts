import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
    type CallToolResult,
    CallToolResultSchema,
    ErrorCode,
    McpError,
    ResultSchema,
    ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { NorthError } from "north-cli/plugin";
import { NORTH_ENDED, oneLine, reasonOf } from "./reason.js";
import { isRecord } from "./json.js";
import type { Launch } from "./launch.js";
import { type Closable, isOver, keepTrack } from "./open-connections.js";
import type { ToolOffer } from "./stored.js";

/** What is needed for one call. */
export interface CallOptions {
    readonly signal: AbortSignal;
    progress(text: string): void;
}

/** A server that is running and has said hello. */
export interface Connection extends Closable {
    list(): Promise<readonly ToolOffer[]>;
    /** Rejects with a `NorthError`, or with the signal's reason. */
    call(tool: string, input: unknown, options: CallOptions): Promise<CallToolResult>;
}

export interface ConnectOptions {
    readonly name: string;
    readonly launch: Launch;
    /** The folder in which a program is started. */
    readonly root: string;
    readonly startMs: number;
    /** The server is gone, or another one has to be made. */
    onEnd(): void;
    onToolsChanged(): void;
}

const LIST_MS = 30_000;
const MOST_PAGES = 50;
/** However much progress it reports; North itself gives a tool as long. */
const LONGEST_CALL_MS = 15 * 60_000;

/** Starts or reaches a server. Rejects with a `NorthError` where it does not answer in time. */
export async function connect(options: ConnectOptions): Promise<Connection> {
    const { name, launch, startMs, onEnd, onToolsChanged } = options;
    const { transport, lastWords, kill, leave } = transportTo(launch, options.root);
    const client = new Client({ name: "north", version: "1" });
    let isClosing = false;
    const closable: Closable = {
        close() {
            isClosing = true;
            void leave().finally(() => void client.close().catch(() => {}));
        },
        kill,
    };
    let isStarting = true;
    client.onclose = () => {
        isOver(closable);
        if (!isStarting) onEnd();
    };
    client.setNotificationHandler(ToolListChangedNotificationSchema, onToolsChanged);
    keepTrack(closable);
    try {
        await client.connect(transport, { timeout: startMs });
    } catch (error) {
        const code = isClosing ? NORTH_ENDED : "server-failed";
        closable.close();
        throw new NorthError(code, `${name} did not start: ${told(error, startMs, lastWords())}`, [
            "Run `north mcp` to see how it is.",
        ]);
    }
    isStarting = false;
    return {
        ...closable,
        list: () => listTools(client),
        async call(tool, input, { signal, progress }) {
            try {
                return await client.request(
                    { method: "tools/call", params: { name: tool, arguments: input as object } },
                    CallToolResultSchema,
                    {
                        signal,
                        timeout: launch.timeoutMs,
                        maxTotalTimeout: LONGEST_CALL_MS,
                        resetTimeoutOnProgress: true,
                        onprogress: (state) => progress(progressLine(state)),
                    }
                );
            } catch (error) {
                signal.throwIfAborted();
                if (!isAnswer(error)) {
                    closable.close();
                    onEnd();
                }
                throw callFailure(name, error, launch.timeoutMs, lastWords());
            }
        },
    };
}

function transportTo(launch: Launch, root: string) {
    if (launch.kind === "http") {
        const transport = new StreamableHTTPClientTransport(new URL(launch.url), {
            requestInit: { headers: launch.headers },
        });
        const leave = () => transport.terminateSession().catch(() => {});
        return { transport, lastWords: () => "", kill: () => {}, leave };
    }
    const { command, args, env } = launch;
    // Of the environment a server sees what the SDK lets through, no key of a provider among it.
    const transport = new StdioClientTransport({
        command,
        args: [...args],
        env: { ...env },
        cwd: root,
        stderr: "pipe",
    });
    let complaints = "";
    transport.stderr?.on("data", (chunk: Buffer) => {
        complaints = (complaints + chunk.toString("utf8")).slice(-2_000);
    });
    return {
        transport,
        lastWords: () => oneLine(complaints.trim().split("\n").at(-1) ?? "", 200),
        kill: () => endProcess(transport.pid),
        leave: async () => {},
    };
}

function endProcess(pid: number | null): void {
    if (pid === null) return;
    try {
        process.kill(pid, "SIGTERM");
    } catch {
        // It has ended by itself.
    }
}

async function listTools(client: Client): Promise<readonly ToolOffer[]> {
    if (client.getServerCapabilities()?.tools === undefined) return [];
    const tools: unknown[] = [];
    let cursor: unknown;
    for (let page = 0; page < MOST_PAGES; page += 1) {
        // Neither `client.listTools` nor its schema: both fail on a single bad tool.
        const answer = await client.request(
            { method: "tools/list", params: cursor === undefined ? {} : { cursor } },
            ResultSchema,
            { timeout: LIST_MS }
        );
        if (Array.isArray(answer.tools)) tools.push(...answer.tools);
        cursor = answer.nextCursor;
        if (typeof cursor !== "string") break;
    }
    return tools.flatMap(offerOf);
}

/** Tasks are a way of calling that North does not have. */
function offerOf(tool: unknown): ToolOffer[] {
    if (!isRecord(tool) || typeof tool.name !== "string") return [];
    const { name, description, inputSchema, annotations, execution } = tool;
    if (isRecord(execution) && execution.taskSupport === "required") return [];
    return [
        {
            name,
            description: typeof description === "string" ? description : "",
            inputSchema: { ...(isRecord(inputSchema) ? inputSchema : {}), type: "object" },
            isReadOnly: isRecord(annotations) && annotations.readOnlyHint === true,
        },
    ];
}

function progressLine({
    progress,
    total,
    message,
}: {
    progress: number;
    total?: number;
    message?: string;
}) {
    const share = total === undefined ? `${progress}` : `${progress} of ${total}`;
    return `${message === undefined ? share : `${share}: ${message}`}\n`;
}

/** The server has understood the request and answers with an error, or is only slow. */
function isAnswer(error: unknown): boolean {
    return error instanceof McpError && error.code !== ErrorCode.ConnectionClosed;
}

function callFailure(name: string, error: unknown, limit: number, lastWords: string): NorthError {
    const code =
        error instanceof McpError && error.code === ErrorCode.RequestTimeout
            ? "timeout"
            : isAnswer(error)
              ? "server-refused"
              : "server-lost";
    const nextSteps = code === "server-lost" ? ["The next call starts the server again."] : [];
    const message = `${name} did not answer the call: ${told(error, limit, lastWords)}`;
    return new NorthError(code, message, nextSteps);
}

function told(error: unknown, limit: number, lastWords: string): string {
    if (error instanceof McpError && error.code === ErrorCode.RequestTimeout) {
        return `it said nothing for ${limit / 1_000} s`;
    }

    if (error instanceof McpError && error.code === ErrorCode.ConnectionClosed) {
        return lastWords === "" ? "it ended" : `it ended, saying: ${lastWords}`;
    }

    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
    return cause === undefined ? reasonOf(error) : `${reasonOf(error)} (${reasonOf(cause)})`;
}
