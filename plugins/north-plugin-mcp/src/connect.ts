import {
    type CallToolResult,
    Client,
    type GetPromptResult,
    type OAuthClientProvider,
    ProtocolError,
    type ReadResourceResult,
    type RequestOptions,
    SdkError,
    SdkErrorCode,
    SdkHttpError,
    UnauthorizedError,
} from "@modelcontextprotocol/client";
import { type AskUser, isExpectedError, NorthError } from "north-cli/plugin";
import { elicit } from "./elicit.js";
import { forgive, NO_ANSWER } from "./forgiving.js";
import { isAbsent } from "./json.js";
import type { Launch } from "./launch.js";
import { listOffers } from "./list-offers.js";
import { type Closable, isOver, keepTrack } from "./open-connections.js";
import { NORTH_ENDED, reasonOf, SESSION_LOST } from "./reason.js";
import type { Offers, ToolOffer } from "./stored.js";
import { transportTo } from "./transport.js";

interface CallOptions {
    readonly signal: AbortSignal;
    progress?(text: string): void;
    /** Absent if nobody can be asked. */
    readonly ask?: AskUser;
}

/**
 * A running, initialized server. Requests reject with a `NorthError`, or with the signal's reason.
 */
export interface Connection extends Closable {
    list(): Promise<Offers>;
    call(tool: ToolOffer, input: unknown, options: CallOptions): Promise<CallToolResult>;
    prompt(
        name: string,
        values: Record<string, string>,
        options: CallOptions
    ): Promise<GetPromptResult>;
    read(uri: string, options: CallOptions): Promise<ReadResourceResult>;
}

interface ConnectOptions {
    readonly name: string;
    readonly launch: Launch;
    /** The working folder for a local server. */
    readonly folder: string;
    readonly root: string;
    readonly startMs: number;
    /** Carries the tokens of a sign-in. */
    readonly authProvider?: OAuthClientProvider;
    /** The server is gone, or needs a new connection. */
    onEnd(): void;
    onListChanged(): void;
}

/** Upper bound, regardless of progress; North gives a tool as long. */
const MAX_CALL_MS = 15 * 60_000;
/** Servers with the older protocol may not answer a probe for the newer one. */
const PROBE_MS = 15_000;

/** Starts or reaches a server. Rejects with a `NorthError` if it does not answer in time. */
export async function connect(options: ConnectOptions): Promise<Connection> {
    const { name, startMs } = options;
    const first = attempt(options, "auto");
    try {
        return await first.connected;
    } catch (error) {
        // Some servers with the older protocol exit on the probe, a request unknown to them.
        const isProbe = sdkCode(error) === SdkErrorCode.EraNegotiationFailed;
        const last = isProbe && !first.isClosing() ? attempt(options, "legacy") : first;
        return last.connected.catch((failure: unknown) => {
            const code = last.isClosing() ? NORTH_ENDED : "server-failed";
            last.closable.close();
            const reason = told(name, failure, startMs, last.ending());
            throw new NorthError(code, `${name} did not start: ${reason}`, [
                isUnauthorized(failure)
                    ? `Run \`north mcp login ${name}\`.`
                    : "Run `north mcp` to see its state.",
            ]);
        });
    }
}

function attempt(options: ConnectOptions, mode: "auto" | "legacy") {
    const { launch, startMs, onEnd, onListChanged, authProvider } = options;
    const { transport, ending, kill, isAlive, leave } = transportTo(launch, options, authProvider);
    forgive(transport);
    const changes = { autoRefresh: false, onChanged: () => onListChanged() };
    const client = new Client(
        { name: "north", version: "1" },
        {
            capabilities: { elicitation: { form: {} } },
            // With the newer protocol, the SDK subscribes and debounces changes.
            listChanged: { tools: changes, prompts: changes },
            versionNegotiation: { mode, probe: { timeoutMs: PROBE_MS } },
        }
    );
    let isClosing = false;
    let isStarting = true;
    const closable: Closable = {
        close() {
            isClosing = true;
            void leave().finally(() => void client.close().catch(() => {}));
        },
        kill,
        isAlive,
    };
    client.onclose = () => {
        // After `close` the SDK reports the end before the process has ended.
        if (!isAlive()) isOver(closable);
        if (!isStarting) onEnd();
    };
    const requests = requestsTo(client, options, ending, closable);
    keepTrack(closable);
    const connected = client.connect(transport, { timeout: startMs }).then((): Connection => {
        isStarting = false;
        return { ...closable, ...requests };
    });
    connected.catch(() => isOver(closable));
    return { connected, closable, ending, isClosing: () => isClosing };
}

function requestsTo(
    client: Client,
    { name, launch, onEnd }: ConnectOptions,
    ending: () => string,
    closable: Closable
): Omit<Connection, keyof Closable> {
    const running = new Set<{ readonly ask?: AskUser; readonly limit: SilenceLimit }>();
    client.setRequestHandler("elicitation/create", async ({ params }) => {
        // A server does not say which call a question belongs to: assume the latest.
        const { ask, limit } = [...running].findLast((call) => call.ask) ?? {};
        limit?.pause();
        return elicit(name, params, ask).finally(() => limit?.resume());
    });

    async function request<Answer>(
        { signal, progress, ask }: CallOptions,
        send: (options: RequestOptions) => Promise<Answer>
    ): Promise<Answer> {
        const limit = new SilenceLimit(launch.timeoutMs);
        const call = { ...(ask ? { ask } : {}), limit };
        running.add(call);
        try {
            return await send({
                signal: AbortSignal.any([signal, limit.signal]),
                timeout: MAX_CALL_MS,
                maxTotalTimeout: MAX_CALL_MS,
                onprogress: (state) => {
                    limit.renew();
                    progress?.(progressLine(state));
                },
            });
        } catch (error) {
            signal.throwIfAborted();
            if (!isAnswer(error)) {
                closable.close();
                onEnd();
            }
            throw callFailure(name, error, launch.timeoutMs, ending());
        } finally {
            running.delete(call);
            limit.pause();
        }
    }

    return {
        list: () => listOffers(client),
        call: ({ name, inputSchema }, input, options) =>
            request(options, (more) =>
                client.callTool(
                    { name, arguments: { ...(input as object) } },
                    // The schema may name inputs that also travel in headers.
                    { ...more, toolDefinition: { name, inputSchema } }
                )
            ),
        prompt: (prompt, values, options) =>
            request(options, (more) => client.getPrompt({ name: prompt, arguments: values }, more)),
        read: (uri, options) =>
            request(options, (more) =>
                client.readResource({ uri }, { ...more, cacheMode: "bypass" })
            ),
    };
}

/** How long a server may stay silent; time spent waiting for the user does not count. */
class SilenceLimit {
    private readonly controller = new AbortController();
    private timer: NodeJS.Timeout | undefined;
    private pauses = 0;
    readonly signal = this.controller.signal;

    constructor(private readonly milliseconds: number) {
        this.renew();
    }

    renew(): void {
        clearTimeout(this.timer);
        if (this.pauses > 0) return;
        this.timer = setTimeout(
            () => this.controller.abort(new SdkError(SdkErrorCode.RequestTimeout, "silent")),
            this.milliseconds
        );
    }

    /** Until `resume`, whatever renews it meanwhile. */
    pause(): void {
        this.pauses += 1;
        clearTimeout(this.timer);
    }

    resume(): void {
        this.pauses -= 1;
        this.renew();
    }
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

function sdkCode(error: unknown): SdkErrorCode | undefined {
    return error instanceof SdkError ? error.code : undefined;
}

function isUnauthorized(error: unknown): boolean {
    return (
        error instanceof UnauthorizedError ||
        (isExpectedError(error) && error.code === "sign-in-expired") ||
        sdkCode(error) === SdkErrorCode.ClientHttpAuthentication
    );
}

/** Whether the server has answered with an error, or is just slow. */
function isAnswer(error: unknown): boolean {
    return (
        error instanceof ProtocolError ||
        ANSWERS.includes(sdkCode(error) ?? SdkErrorCode.ConnectionClosed)
    );
}

const ANSWERS: readonly SdkErrorCode[] = [
    SdkErrorCode.RequestTimeout,
    SdkErrorCode.InvalidResult,
    SdkErrorCode.UnsupportedResultType,
    SdkErrorCode.InputRequiredRoundsExceeded,
    SdkErrorCode.CapabilityNotSupported,
];

function callFailure(name: string, error: unknown, limit: number, ending: string): NorthError {
    const isTimeout = sdkCode(error) === SdkErrorCode.RequestTimeout;
    const code = isTimeout ? "timeout" : isAnswer(error) ? "server-refused" : lossIn(error);
    const nextSteps = code === "server-lost" ? ["The next call starts the server again."] : [];
    const isRefusal = error instanceof ProtocolError && error.code !== NO_ANSWER;
    const verb = isRefusal ? "refused" : "did not answer";
    const message = `${name} ${verb} the call: ${told(name, error, limit, ending)}`;
    return new NorthError(code, message, nextSteps);
}

/** https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management */
function lossIn(error: unknown): string {
    return error instanceof SdkHttpError && error.status === 404 ? SESSION_LOST : "server-lost";
}

function told(name: string, error: unknown, limit: number, ending: string): string {
    const code = sdkCode(error);
    if (isUnauthorized(error)) {
        return `it needs a sign-in (north mcp login ${name}) or another token in its headers`;
    }
    if (code === SdkErrorCode.RequestTimeout) return `it said nothing for ${limit / 1_000} s`;
    if (code === SdkErrorCode.ConnectionClosed) return ending;
    if (isAbsent(error) && "path" in error) return `there is no program ${error.path}`;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
    return cause === undefined ? reasonOf(error) : `${reasonOf(error)} (${reasonOf(cause)})`;
}
