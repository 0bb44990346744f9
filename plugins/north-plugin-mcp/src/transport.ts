import {
    StreamableHTTPClientTransport,
    type OAuthClientProvider,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createNodeHttpFetch } from "north-cli/provider-kit";
import type { Launch } from "./launch.js";
import { oneLine } from "./reason.js";

/**
 * The SDK probes its own class in an extra process, which would start each server twice. A subclass
 * avoids that.
 */
class ServerProcess extends StdioClientTransport {}

/** Uses the proxy from the environment, which Node's fetch ignores. */
const fetch = createNodeHttpFetch();

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
export function transportTo(launch: Launch, root: string, authProvider?: OAuthClientProvider) {
    if (launch.kind === "http") {
        const transport = httpTransport(launch, authProvider);
        const leave = () => transport.terminateSession().catch(() => {});
        return { transport, lastWords: () => "", kill: () => {}, leave };
    }
    const { command, args, env } = launch;
    // The SDK passes on a safe subset of the environment, without provider keys.
    const transport = new ServerProcess({
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
        // It has already exited.
    }
}
