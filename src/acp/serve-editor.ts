import { stat } from "node:fs/promises";
import path from "node:path";
import {
    agent,
    methods,
    PROTOCOL_VERSION,
    RequestError,
    type AgentContext,
    type AgentConnection,
    type ClientCapabilities,
    type InitializeResponse,
    type McpServer,
    ndJsonStream,
    type Stream,
} from "@agentclientprotocol/sdk";
import { resolveRealPath } from "../base/paths.js";
import { counted } from "../base/format.js";
import { visibleLine } from "../base/safe-text.js";
import { whenAborted } from "../base/waiting.js";
import type { McpServers } from "../plugin/index.js";
import { modesOf, selectMode, selectOption } from "./config-options.js";
import { editorFiles, EditorClient } from "./editor-client.js";
import { EditorSession, requestError } from "./editor-session.js";
import type { EditorHost } from "./opened-session.js";
import { replay } from "./replay.js";

/** Page size of the session list; a cursor fetches the next page. */
const PAGE_SIZE = 50;

const SIGN_IN = {
    id: "login",
    name: "north login",
    description: "Run `north login` in a terminal, or set ANTHROPIC_API_KEY.",
};
/** The editor appends the arguments to its own for `north acp`. */
const IN_TERMINAL = {
    type: "terminal" as const,
    id: "login-in-terminal",
    name: "Store a key",
    args: ["--login"],
};

interface EditorPipes {
    readonly input: ReadableStream<Uint8Array>;
    readonly output: WritableStream<Uint8Array>;
}

/** Speaks the Agent Client Protocol until the editor disconnects or the signal aborts. */
export async function serveEditor(
    { input, output }: EditorPipes,
    host: EditorHost,
    signal: AbortSignal
): Promise<void> {
    const sessions = new EditorSessions(host);
    const connection = sessions.connect(ndJsonStream(output, input));
    void whenAborted(signal).then(() => connection.close());
    await connection.closed;
    await sessions.close();
}

interface Opening {
    readonly cwd: string;
    readonly mcpServers?: readonly McpServer[] | null;
}

class EditorSessions {
    private readonly sessions = new Map<string, EditorSession>();
    /** Sessions being opened. Closing waits for them. */
    private readonly opening = new Set<Promise<unknown>>();
    private capabilities: ClientCapabilities = {};

    constructor(private readonly host: EditorHost) {}

    connect(stream: Stream): AgentConnection {
        const { session } = methods.agent;
        return agent({ name: "north" })
            .onRequest(methods.agent.initialize, ({ params }) => {
                this.capabilities = params.clientCapabilities ?? {};
                return this.introduction();
            })
            .onRequest(methods.agent.authenticate, ({ params }) =>
                withProtocolErrors(async () => {
                    if (params.methodId !== SIGN_IN.id) {
                        throw RequestError.invalidParams(undefined, "unknown sign-in method");
                    }
                    await this.host.requireKey();
                    return {};
                })
            )
            .onRequest(session.new, ({ params, client }) =>
                withProtocolErrors(async () => {
                    const opened = await this.open(params, client);
                    const sessionId = opened.context.session.conversationId;
                    return { sessionId, ...(await stateOf(opened)) };
                })
            )
            .onRequest(session.load, ({ params, client }) =>
                withProtocolErrors(async () => {
                    const opened = await this.open(params, client, params.sessionId);
                    await replay(opened.context);
                    return stateOf(opened);
                })
            )
            .onRequest(session.resume, ({ params, client }) =>
                withProtocolErrors(async () =>
                    stateOf(await this.open(params, client, params.sessionId))
                )
            )
            .onRequest(session.list, ({ params }) => withProtocolErrors(() => this.list(params)))
            .onRequest(session.delete, ({ params }) =>
                withProtocolErrors(async () => {
                    await this.closeSession(params.sessionId);
                    await this.host.remove(params.sessionId);
                })
            )
            .onRequest(session.close, ({ params }) =>
                withProtocolErrors(() => this.closeSession(params.sessionId))
            )
            .onRequest(session.setMode, ({ params }) =>
                withProtocolErrors(async () => {
                    const chosen = this.find(params.sessionId);
                    selectMode(chosen.context.session, params.modeId);
                    await chosen.sendConfigOptions();
                })
            )
            .onRequest(session.setConfigOption, ({ params }) =>
                withProtocolErrors(async () => {
                    const chosen = this.find(params.sessionId);
                    await selectOption(chosen.context.session, params.configId, params.value);
                    if (params.configId === "mode") await chosen.sendMode();
                    return { configOptions: await chosen.options() };
                })
            )
            .onRequest(session.prompt, ({ params, signal }) =>
                withProtocolErrors(() => this.find(params.sessionId).prompt(params.prompt, signal))
            )
            .onNotification(session.cancel, ({ params }) =>
                this.sessions.get(params.sessionId)?.cancel()
            )
            .connect(stream);
    }

    async close(): Promise<void> {
        for (const session of this.sessions.values()) session.cancel();
        await Promise.allSettled(this.opening);
        await Promise.allSettled([...this.sessions.keys()].map((id) => this.closeSession(id)));
    }

    private introduction(): InitializeResponse {
        return {
            protocolVersion: PROTOCOL_VERSION,
            agentInfo: { name: "north", title: "North", version: this.host.version },
            agentCapabilities: {
                loadSession: true,
                mcpCapabilities: { http: this.host.connectsServers },
                promptCapabilities: { image: true, embeddedContext: true },
                sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {} },
            },
            authMethods: this.capabilities.auth?.terminal ? [SIGN_IN, IN_TERMINAL] : [SIGN_IN],
        };
    }

    private async open(
        { cwd, mcpServers: given }: Opening,
        context: AgentContext,
        resume?: string
    ): Promise<EditorSession> {
        if (!path.isAbsolute(cwd)) {
            throw RequestError.invalidParams(undefined, "cwd must be an absolute path");
        }
        if (!(await stat(cwd).catch(() => undefined))?.isDirectory()) {
            throw RequestError.invalidParams(undefined, `there is no folder ${visibleLine(cwd)}`);
        }
        if (resume !== undefined) await this.closeSession(resume);
        const { servers, unknown } = offeredServers(given ?? []);
        const left = this.host.connectsServers ? unknown : Object.keys(servers).concat(unknown);
        const work = this.openAt({ cwd, servers }, context, resume);
        this.opening.add(work);
        try {
            const session = await work;
            // Send after the response: before it the editor does not know the session.
            setImmediate(() => {
                void session.introduce();
                if (left.length > 0) {
                    void session.context.client.notice(notConnected(left), "message");
                }
            });
            return session;
        } finally {
            this.opening.delete(work);
        }
    }

    private async openAt(
        { cwd, servers }: { readonly cwd: string; readonly servers: McpServers },
        context: AgentContext,
        resume: string | undefined
    ): Promise<EditorSession> {
        const place = { sessionId: resume ?? "", toEditor: (file: string): string => file };
        const files = editorFiles(context, this.capabilities, place);
        const opened = await this.host.open({
            folder: cwd,
            resume,
            files,
            ...(Object.keys(servers).length > 0 ? { mcpServers: servers } : {}),
        });
        const { root, conversationId } = opened.session;
        const shown = editorRoot(cwd, root);
        place.sessionId = conversationId;
        place.toEditor = (file) => path.join(shown, path.relative(root, file));
        const client = new EditorClient(context, this.capabilities, conversationId);
        const session = new EditorSession(opened, client, shown);
        this.sessions.set(conversationId, session);
        return session;
    }

    private async list({ cwd, cursor }: { cwd?: string | null; cursor?: string | null }) {
        const all = await this.host.list(cwd ?? undefined);
        const from = Number(cursor ?? 0);
        if (!Number.isSafeInteger(from) || from < 0) {
            throw RequestError.invalidParams(undefined, "unknown cursor");
        }
        const end = from + PAGE_SIZE;
        return {
            sessions: all.slice(from, end).map(({ id, root, name, firstWords, updatedAt }) => ({
                sessionId: id,
                cwd: root,
                title: name || firstWords,
                updatedAt: new Date(updatedAt).toISOString(),
            })),
            ...(end < all.length ? { nextCursor: String(end) } : {}),
        };
    }

    private find(id: string): EditorSession {
        const session = this.sessions.get(id);
        if (session) return session;
        throw new RequestError(-32002, `There is no open session ${id}.`);
    }

    private async closeSession(id: string): Promise<void> {
        const session = this.sessions.get(id);
        this.sessions.delete(id);
        await session?.close();
    }
}

async function stateOf(session: EditorSession) {
    return { modes: modesOf(session.context.session), configOptions: await session.options() };
}

function notConnected(names: readonly string[]): string {
    return (
        `Not connected: ${counted(names.length, "MCP server")} from the editor (${names.join(", ")}). ` +
        "North connects to stdio and HTTP servers if north-plugin-mcp is installed."
    );
}

/** Rethrows every failure of `work` as a protocol error. */
async function withProtocolErrors<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
        return await work();
    } catch (error) {
        throw requestError(error);
    }
}

/** The editor's servers in the plugin's format, and the names of unsupported ones. */
function offeredServers(given: readonly McpServer[] = []) {
    const known = given.flatMap((server): [string, McpServers[string]][] => {
        const { name } = server;
        if ("command" in server) {
            const { command, args, env } = server;
            return [[name, { command, args, env: valuesOf(env) }]];
        }
        if (!("type" in server) || server.type !== "http") return [];
        return [[name, { type: "http", url: server.url, headers: valuesOf(server.headers) }]];
    });
    const servers: McpServers = Object.fromEntries(known);
    const unknown = given.flatMap(({ name }) => (Object.hasOwn(servers, name) ? [] : name));
    return { servers, unknown };
}

function valuesOf(pairs: readonly { readonly name: string; readonly value: string }[]) {
    return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}

/** The root as the editor names it, possibly through a symlink. */
function editorRoot(folder: string, root: string): string {
    const below = path.relative(root, resolveRealPath(folder) ?? folder);
    if (below === "") return folder;
    const end = `${path.sep}${below}`;
    return folder.endsWith(end) ? folder.slice(0, -end.length) : root;
}
