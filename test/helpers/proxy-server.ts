import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";

/** A proxy on loopback that resolves every name to this machine. */
export interface ProxyServer {
    readonly url: string;
    /** Requests, such as `CONNECT vendor.example:443` or `GET http://vendor.example/`. */
    readonly asked: readonly string[];
    close(): Promise<void>;
}

/** `password` is the required `user:password`. */
export async function startProxy(password?: string): Promise<ProxyServer> {
    const asked: string[] = [];
    const expected =
        password === undefined ? undefined : `Basic ${Buffer.from(password).toString("base64")}`;
    const isRefused = ({ headers }: http.IncomingMessage) =>
        expected !== undefined && headers["proxy-authorization"] !== expected;
    const sockets = new Set<net.Socket>();
    const server = http.createServer((request, response) => {
        asked.push(`${request.method} ${request.url}`);
        if (isRefused(request)) return void response.writeHead(407).end();
        const { port, pathname } = new URL(request.url!);
        const { method, headers } = request;
        const onward = http.request({ host: "127.0.0.1", port, path: pathname, method, headers });
        onward.on("response", (answer) => {
            response.writeHead(answer.statusCode!, answer.headers);
            answer.pipe(response);
        });
        onward.on("error", () => response.writeHead(502).end());
        request.pipe(onward);
    });
    server.on("connection", (socket) => sockets.add(socket));
    server.on("connect", (request, socket) => {
        asked.push(`CONNECT ${request.url}`);
        if (isRefused(request)) return void socket.end("HTTP/1.1 407 No\r\n\r\n");
        const onward = net.connect(Number(request.url!.split(":")[1]), "127.0.0.1", () => {
            socket.write("HTTP/1.1 200 OK\r\n\r\n");
            onward.pipe(socket).pipe(onward);
        });
        sockets.add(onward);
        onward.on("error", () => socket.end("HTTP/1.1 502 Gone\r\n\r\n"));
        socket.on("error", () => onward.destroy());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        asked,
        close: async () => {
            for (const socket of sockets) socket.destroy();
            await new Promise((resolve) => server.close(resolve));
        },
    };
}
