import { homedir } from "node:os";
import { delimiter, isAbsolute } from "node:path";
import {
    StreamableHTTPClientTransport,
    type OAuthClientProvider,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createNodeHttpFetch } from "north-cli/provider-kit";
import type { Launch } from "./launch.js";
import { PROJECT_VARIABLE } from "./folders.js";
import { isInside } from "./program-digest.js";
import { oneLine } from "./reason.js";

/**
 * The SDK probes its own class in an extra process, which would start each server twice. A subclass
 * avoids that.
 */
class ServerProcess extends StdioClientTransport {}

const MAX_MESSAGE_MB = 10;
const TOO_LONG = `it sent more than ${MAX_MESSAGE_MB} MB in one message`;

/** Creates an HTTP transport, not connected yet. */
export function httpTransport(
    { url, headers }: Extract<Launch, { kind: "http" }>,
    authProvider?: OAuthClientProvider,
    { onTooLarge, signal }: { onTooLarge?(): void; readonly signal?: AbortSignal } = {}
): StreamableHTTPClientTransport {
    const limits = { maxBytes: MAX_MESSAGE_MB * 1024 ** 2, ...(onTooLarge && { onTooLarge }) };
    // Uses the proxy from the environment, which Node's fetch ignores.
    const send = createNodeHttpFetch(limits);
    return new StreamableHTTPClientTransport(new URL(url), {
        // The SDK sends requests of a sign-in without a signal.
        fetch: (url, init) => send(url, { ...init, signal: init?.signal ?? signal ?? null }),
        requestInit: { headers },
        ...(authProvider ? { authProvider } : {}),
    });
}

/** Creates a transport to a server, not connected yet. */
export function transportTo(
    launch: Launch,
    { folder, root }: { readonly folder: string; readonly root: string },
    authProvider?: OAuthClientProvider
) {
    if (launch.kind === "http") {
        let isTooLong = false;
        const onTooLarge = () => {
            isTooLong = true;
            // The SDK would wait for an answer in the stream that was cut off.
            void transport.close();
        };
        const transport = httpTransport(launch, authProvider, { onTooLarge });
        return {
            transport,
            ending: () => (isTooLong ? TOO_LONG : "it ended"),
            kill: () => {},
            isAlive: () => false,
            leave: () => transport.terminateSession().catch(() => {}),
        };
    }
    return processTransport(launch, folder, root);
}

function processTransport(
    { command, args, env }: Extract<Launch, { kind: "stdio" }>,
    folder: string,
    root: string
) {
    // The SDK passes on a safe subset of the environment, without provider keys.
    const transport = new ServerProcess({
        command,
        args: [...args],
        env: {
            ...(folder === root ? {} : { PATH: pathOutside(root) }),
            ...{ [PROJECT_VARIABLE]: root, ...env },
        },
        cwd: folder,
        stderr: "pipe",
    });
    let complaints = "";
    transport.stderr?.on("data", (chunk: Buffer) => {
        complaints = (complaints + chunk.toString("utf8")).slice(-2_000);
    });
    let pid: number | null = null;
    const start = transport.start.bind(transport);
    // The SDK forgets the process before it has ended.
    transport.start = async () => {
        await start();
        pid = transport.pid;
    };
    let isLeaving = false;
    let isTooLong = false;
    const close = transport.close.bind(transport);
    transport.close = () => {
        // The SDK itself closes the input of a running server only then.
        if (!isLeaving && isAlive(pid)) isTooLong = true;
        return close();
    };
    return {
        transport,
        ending: () => {
            if (isTooLong) return TOO_LONG;
            const lines = complaints.trim().split("\n");
            const causes = lines.filter((line) => /error/i.test(line));
            // npm and Node end with lines that say nothing of the cause.
            const lastWords = oneLine(causes.join("\n") || (lines.at(-1) ?? ""), 200);
            return lastWords === "" ? "it ended" : `it ended, saying: ${lastWords}`;
        },
        kill: (signal: NodeJS.Signals) => endProcess(pid, signal),
        isAlive: () => isAlive(pid),
        leave: async () => void (isLeaving = true),
    };
}

/** A server of the user's own is no program of the project, whose folders `npx` puts on PATH. */
function pathOutside(root: string): string {
    const { PATH = "" } = process.env;
    if (isInside(root, homedir())) return PATH;
    const folders = PATH.split(delimiter);
    const isOutside = (folder: string) =>
        isAbsolute(folder) && !isInside(root, folder) && !/\/node_modules\/\.bin\/?$/.test(folder);
    return folders.filter(isOutside).join(delimiter);
}

function isAlive(pid: number | null): boolean {
    if (pid === null) return false;
    try {
        return process.kill(pid, 0);
    } catch {
        return false;
    }
}

function endProcess(pid: number | null, signal: NodeJS.Signals): void {
    if (pid === null) return;
    try {
        process.kill(pid, signal);
    } catch {
        // It has already exited.
    }
}
