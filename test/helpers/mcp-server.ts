import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

export interface HttpMcpServer {
    readonly url: string;
    close(): Promise<void>;
}

/** An MCP server on loopback that wants a token and keeps no sessions. */
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
