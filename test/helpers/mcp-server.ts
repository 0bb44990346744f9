import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";
import { eventually } from "./north-program.js";

export interface HttpMcpServer {
    readonly url: string;
    close(): Promise<void>;
}

/** An MCP server on loopback that requires a token and keeps no sessions. */
export async function startMcpServer(token: string): Promise<HttpMcpServer> {
    const listener = http.createServer(async (request, response) => {
        if (request.headers.authorization !== `Bearer ${token}`) {
            response.writeHead(401).end("Who are you?");
            return;
        }
        const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
        response.on("close", () => void transport.close());
        await tools().connect(transport);
        await transport.handleRequest(request, response);
    });
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    const { port } = listener.address() as AddressInfo;
    return {
        url: `http://127.0.0.1:${port}/mcp`,
        close: async () => {
            listener.close();
            listener.closeAllConnections();
            await once(listener, "close");
        },
    };
}

/** A third-party server, over HTTP. */
export async function startEverythingServer(): Promise<HttpMcpServer> {
    const program = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
    const tellPort = path.resolve("test/fixtures/mcp/tell-port.js");
    const child = spawn(process.execPath, ["--import", tellPort, program, "streamableHttp"], {
        env: { PATH: process.env.PATH, PORT: "0" },
        stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = once(child, "close");
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString("utf8")));
    const port = () => /has the port (\d+)\./.exec(printed)?.[1];
    await eventually(() => port() !== undefined, "the server's port");
    return {
        url: `http://127.0.0.1:${port()}/mcp`,
        close: async () => {
            child.kill("SIGKILL");
            await ended;
        },
    };
}

function tools(): McpServer {
    const server = new McpServer({ name: "far", version: "1.0.0" });
    const annotations = { readOnlyHint: true };
    const description = "Says it again.";
    server.registerTool(
        "say",
        { description, inputSchema: { text: z.string() }, annotations },
        async ({ text }) => ({ content: [{ type: "text", text: `said ${text}` }] })
    );
    return server;
}
