import {
    StreamableHTTPClientTransport,
    type OAuthClientProvider,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createNodeHttpFetch } from "north-cli/provider-kit";
import type { Launch } from "./launch.js";
import { PROJECT_VARIABLE } from "./place.js";
import { oneLine } from "./reason.js";

/**
 * The SDK probes its own class in an extra process, which would start each server twice. A subclass
 * avoids that.
 */
class ServerProcess extends StdioClientTransport {}

/** As much as the SDK reads from a local server at once. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

/** Uses the proxy from the environment, which Node's fetch ignores. */
const fetch = createNodeHttpFetch({ maxBytes: MAX_MESSAGE_BYTES });

/** Creates an HTTP transport, not connected yet. */
export function httpTransport(
    { url, headers }: Extract<Launch, { kind: "http" }>,
    authProvider?: OAuthClientProvider
): StreamableHTTPClientTransport {
    return new StreamableHTTPClientTransport(new URL(url), {
        fetch,
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
        const transport = httpTransport(launch, authProvider);
        const leave = () => transport.terminateSession().catch(() => {});
        return { transport, lastWords: () => "", kill: () => {}, isAlive: () => false, leave };
    }
    const { command, args, env } = launch;
    // The SDK passes on a safe subset of the environment, without provider keys.
    const transport = new ServerProcess({
        command,
        args: [...args],
        env: { [PROJECT_VARIABLE]: root, ...env },
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
    return {
        transport,
        lastWords: () => oneLine(complaints.trim().split("\n").at(-1) ?? "", 200),
        kill: (signal: NodeJS.Signals) => endProcess(pid, signal),
        isAlive: () => isAlive(pid),
        leave: async () => {},
    };
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
