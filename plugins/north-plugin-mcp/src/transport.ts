import {
    StreamableHTTPClientTransport,
    type OAuthClientProvider,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createNodeHttpFetch } from "north-cli/provider-kit";
import type { Launch } from "./launch.js";
import { oneLine } from "./reason.js";

/** The SDK probes its own class on a process of its own, so that each start would start a server twice. */
class ServerProcess extends StdioClientTransport {}

/** Takes the proxy that the environment names, which Node's own does not. */
const fetch = createNodeHttpFetch();

/** A connection over HTTP that is not open yet. */
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

/** A way to a server that was not connected yet. */
export function transportTo(launch: Launch, root: string, authProvider?: OAuthClientProvider) {
    if (launch.kind === "http") {
        const transport = httpTransport(launch, authProvider);
        const leave = () => transport.terminateSession().catch(() => {});
        return { transport, lastWords: () => "", kill: () => {}, leave };
    }
    const { command, args, env } = launch;
    // Of the environment a server sees what the SDK lets through, no key of a provider among it.
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
        // It has ended by itself.
    }
}
