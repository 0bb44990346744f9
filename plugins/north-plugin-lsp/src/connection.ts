import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import path from "node:path";
import { type ContainedProcess, NorthError, type StartContained } from "north-cli/plugin";
import type * as protocolModule from "vscode-languageserver-protocol/node";
import type {
    CancellationToken,
    Diagnostic,
    DocumentDiagnosticParams,
    DocumentDiagnosticReport,
    InitializeParams,
    InitializeResult,
    ProtocolConnection,
    ProtocolRequestType,
    PublishDiagnosticsParams,
} from "vscode-languageserver-protocol/node";
import { limited, type Limits, MAX_MESSAGE_BYTES, MAX_MESSAGES } from "./limits.js";
import { pathOf } from "./places.js";
import type { ServerKind } from "./servers.js";

interface ConnectOptions {
    readonly kind: ServerKind;
    /** Absolute path of the program. */
    readonly program: string;
    /** Absolute path of the repository. */
    readonly root: string;
    /** The server's root, relative to the repository. */
    readonly folder: string;
    readonly start: StartContained;
    readonly limits: Limits;
}

type Protocol = typeof protocolModule;

/** A running server. Requests reject with a `NorthError`, or with the signal's reason. */
export class Connection {
    private isGone = false;
    private readonly gone: Promise<never>;
    private readonly published = new Map<string, PublishDiagnosticsParams>();
    private readonly waiting = new Set<() => void>();
    /** It is asked for what it finds, and publishes nothing. */
    private isAsked = false;

    private constructor(
        private readonly options: ConnectOptions,
        private readonly process: ContainedProcess,
        private readonly connection: ProtocolConnection,
        readonly protocol: Protocol
    ) {
        this.gone = process.ended.then((reason) => {
            this.isGone = true;
            throw new NorthError("server-ended", `${this.name} is gone: ${reason}.`, [
                "The next call starts it again.",
            ]);
        });
        // Only then, or requests would be told that they lost their connection.
        this.gone.catch(() => connection.dispose());
        connection.onError(() => this.stop());
        connection.onNotification(protocol.PublishDiagnosticsNotification.type, (found) => {
            if (!Array.isArray(found?.diagnostics)) return;
            this.published.set(pathOf(String(found.uri), options.root) ?? "", found);
            for (const look of this.waiting) look();
        });
        answerServer(connection, protocol, this.uri(options.folder));
        connection.onRequest(protocol.RegistrationRequest.type, ({ registrations }) => {
            const { method } = protocol.DocumentDiagnosticRequest.type;
            if (registrations?.some((each) => each?.method === method)) this.ask();
        });
    }

    /** Starts a server and waits until it can answer. */
    static async open(options: ConnectOptions): Promise<Connection> {
        const { kind, start } = options;
        const protocol = await import("vscode-languageserver-protocol/node");
        const output = new PassThrough();
        const process = await start(commandOf(options), {
            onOutput: (text) => void output.write(text),
        });
        const reader = boundedReader(protocol, output, () => opened.stop());
        const connection = protocol.createProtocolConnection(reader, writerTo(protocol, process));
        const opened = new Connection(options, process, connection, protocol);
        connection.listen();
        try {
            const answer = await opened.request<InitializeParams, InitializeResult | null>(
                protocol.InitializeRequest.type,
                initializeParams(opened, kind, options.folder),
                undefined,
                options.limits.start
            );
            if (answer?.capabilities?.diagnosticProvider) opened.ask();
            const loaded = kind.saysLoaded && untilLoaded(connection, protocol, kind);
            // It may fail while the notification is still being sent.
            loaded?.catch(() => {});
            await connection.sendNotification(protocol.InitializedNotification.type, {});
            if (loaded) await opened.within(loaded, options.limits.start);
            return opened;
        } catch (error) {
            opened.stop();
            throw error;
        }
    }

    get name(): string {
        return this.options.kind.program;
    }

    get isAlive(): boolean {
        return !this.isGone;
    }

    stop(): void {
        this.isGone = true;
        this.process.stop();
    }

    /** A server that does not answer in time is stopped: it would not answer the next one either. */
    async request<Params, Result>(
        type: Pick<ProtocolRequestType<Params, Result, unknown, unknown, unknown>, "method">,
        params: Params,
        signal?: AbortSignal,
        ms = this.options.limits.request
    ): Promise<Result> {
        const cancelled = new this.protocol.CancellationTokenSource();
        const answer = this.answer<Result>(type.method, params, cancelled.token);
        answer.catch(() => {});
        try {
            return await this.within(answer, ms, signal);
        } catch (error) {
            cancelled.cancel();
            if (!(error instanceof this.protocol.ResponseError)) throw error;
            const message = `${this.name} refused: ${error.message.split("\n")[0]}`;
            throw new NorthError("server-refused", message);
        } finally {
            cancelled.dispose();
        }
    }

    /** Asks again what the server has cancelled because of a change, as the protocol wants. */
    private async answer<Result>(
        method: string,
        params: unknown,
        token: CancellationToken
    ): Promise<Result> {
        const { LSPErrorCodes, ResponseError } = this.protocol;
        try {
            return await this.connection.sendRequest<Result>(method, params, token);
        } catch (error) {
            const isAgain =
                error instanceof ResponseError && error.code === LSPErrorCodes.ServerCancelled;
            if (!isAgain || token.isCancellationRequested) throw error;
            return this.answer(method, params, token);
        }
    }

    /** Shows it other files, and tells it which are new (1), changed (2) or gone (3). */
    async show(files: ReadonlyMap<string, Uint8Array | null>, isNew: (file: string) => boolean) {
        await this.within(this.process.show(files), this.options.limits.request);
        const changes = [...files].map(([file, content]) => ({
            uri: this.uri(file),
            type: content === null ? 3 : isNew(file) ? 1 : 2,
        })) as { uri: string; type: 1 | 2 | 3 }[];
        await this.connection.sendNotification(
            this.protocol.DidChangeWatchedFilesNotification.type,
            { changes }
        );
    }

    async open(file: string, languageId: string, version: number, text: string): Promise<void> {
        this.published.delete(file);
        const textDocument = { uri: this.uri(file), languageId, version, text };
        await this.connection.sendNotification(this.protocol.DidOpenTextDocumentNotification.type, {
            textDocument,
        });
    }

    async close(file: string): Promise<void> {
        if (this.isGone) return;
        await this.connection.sendNotification(
            this.protocol.DidCloseTextDocumentNotification.type,
            { textDocument: { uri: this.uri(file) } }
        );
        this.published.delete(file);
    }

    private ask(): void {
        this.isAsked = true;
        for (const look of this.waiting) look();
    }

    /** What it finds in exactly this version of an open file. */
    async diagnosticsOf(
        file: string,
        version: number,
        signal: AbortSignal
    ): Promise<readonly Diagnostic[]> {
        const published = await this.publishedOf(file, version, signal);
        if (published) return published;
        // What such a server publishes may be of a moment when it had only parsed the file.
        const { type } = this.protocol.DocumentDiagnosticRequest;
        const report = await this.request<
            DocumentDiagnosticParams,
            DocumentDiagnosticReport | null
        >(type, { textDocument: { uri: this.uri(file) } }, signal);
        if (report?.kind === "full" && Array.isArray(report.items)) return report.items;
        throw new NorthError("server-refused", `${this.name} does not say what it finds.`);
    }

    /** `undefined` if it has to be asked. */
    private async publishedOf(
        file: string,
        version: number,
        signal: AbortSignal
    ): Promise<readonly Diagnostic[] | undefined> {
        let look = () => {};
        const found = new Promise<readonly Diagnostic[] | undefined>((resolve) => {
            look = () => {
                if (this.isAsked) return resolve(undefined);
                const last = this.published.get(file);
                // Without a version, it is of a moment when the file was not open.
                if (last?.version === version) resolve(last.diagnostics);
            };
            this.waiting.add(look);
            look();
        });
        return this.within(found, this.options.limits.request, signal).finally(() =>
            this.waiting.delete(look)
        );
    }

    uri(file: string): string {
        return pathToFileURL(path.join(this.options.root, file)).href;
    }

    private async within<Value>(
        work: Promise<Value>,
        ms: number,
        signal?: AbortSignal
    ): Promise<Value> {
        try {
            return await limited(Promise.race([work, this.gone]), ms, this.name, signal);
        } catch (error) {
            if (error instanceof NorthError && error.code === "timeout") this.stop();
            throw error;
        }
    }
}

/** By the progress that gopls reports first, or by rust-analyzer's extension of the protocol. */
function untilLoaded(
    connection: ProtocolConnection,
    protocol: Protocol,
    { saysLoaded, program }: ServerKind
): Promise<void> {
    return new Promise((resolve, reject) => {
        if (saysLoaded === "by progress") {
            connection.onRequest(protocol.WorkDoneProgressCreateRequest.type, ({ token }) => {
                connection.onProgress(protocol.WorkDoneProgress.type, token, ({ kind }) => {
                    if (kind === "end") resolve();
                });
            });
            return;
        }
        connection.onNotification("experimental/serverStatus", (status) => {
            if (status?.quiescent !== true) return;
            if (status.health !== "error") return resolve();
            const reason = String(status.message ?? "it does not say why").split("\n")[0];
            const message = `${program} did not load the project: ${reason}`;
            reject(new NorthError("server-failed", message));
        });
    });
}

function commandOf({ kind, program, folder }: ConnectOptions): string {
    const variables = Object.entries(kind.environment ?? {}).map((pair) => pair.join("="));
    const words = ["env", ...variables, program, ...kind.args];
    return `cd ${quote(`./${folder}`)} && exec ${words.map(quote).join(" ")}`;
}

function quote(text: string): string {
    return `'${text.replaceAll("'", "'\\''")}'`;
}

function initializeParams(connection: Connection, kind: ServerKind, folder: string) {
    const uri = connection.uri(folder);
    const params: InitializeParams = {
        processId: null,
        clientInfo: { name: "north" },
        rootUri: uri,
        workspaceFolders: [{ uri, name: "project" }],
        ...(kind.options && { initializationOptions: kind.options }),
        capabilities: {
            general: { positionEncodings: ["utf-16"] },
            textDocument: {
                synchronization: {},
                definition: { linkSupport: true },
                references: {},
                hover: { contentFormat: ["plaintext", "markdown"] },
                rename: { prepareSupport: true },
                publishDiagnostics: { versionSupport: true },
                diagnostic: { dynamicRegistration: true },
            },
            workspace: {
                configuration: true,
                workspaceFolders: true,
                didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
                workspaceEdit: { documentChanges: true },
            },
            window: { workDoneProgress: kind.saysLoaded === "by progress" },
            experimental: { serverStatusNotification: true },
        },
    };
    return params;
}

/** What servers ask of an editor. Anything else is refused, as the protocol wants. */
function answerServer(connection: ProtocolConnection, protocol: Protocol, uri: string): void {
    connection.onRequest(protocol.ConfigurationRequest.type, ({ items }) => items.map(() => null));
    connection.onRequest(protocol.WorkspaceFoldersRequest.type, () => [{ uri, name: "project" }]);
    connection.onRequest(protocol.UnregistrationRequest.type, () => {});
    connection.onRequest(protocol.DiagnosticRefreshRequest.type, () => {});
    connection.onRequest(protocol.WorkDoneProgressCreateRequest.type, () => {});
    connection.onRequest(protocol.ApplyWorkspaceEditRequest.type, () => ({ applied: false }));
}

/** Stops a server that sends a huge message, or very many without a reply. */
function boundedReader(protocol: Protocol, output: PassThrough, stop: () => void) {
    let bytes = 0;
    let messages = 0;
    output.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_MESSAGE_BYTES) stop();
    });
    const reader = new protocol.StreamMessageReader(output);
    // Its timer for a message that has only begun goes on for ever once the server is gone.
    reader.partialMessageTimeout = 0;
    const listen = reader.listen.bind(reader);
    reader.listen = (callback) =>
        listen((message) => {
            bytes = 0;
            messages = protocol.Message.isResponse(message) ? 0 : messages + 1;
            if (messages > MAX_MESSAGES) stop();
            else callback(message);
        });
    return reader;
}

function writerTo(protocol: Protocol, process: ContainedProcess) {
    const input = new PassThrough();
    input.on("data", (chunk: Buffer) => process.write(chunk));
    return new protocol.StreamMessageWriter(input);
}
