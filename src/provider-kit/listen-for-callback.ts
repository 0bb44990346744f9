import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { parseUrl } from "../base/parse-url.js";

/**
 * Listens on loopback for a browser that comes back from a vendor's sign-in page. `path` or `state`
 * is random, so that only that page's answer counts. Close it in any case.
 */
export async function listenForCallback({
    path,
    state,
    port: asked = 0,
}: {
    readonly path: string;
    readonly state?: string;
    /** Any free one by default. */
    readonly port?: number | undefined;
}) {
    const listener = http.createServer();
    const answer = new Promise<URLSearchParams>((resolve) => {
        listener.on("request", (request, response) => {
            // Anyone may connect here and send a target that is not a URL.
            const target = parseUrl(request.url ?? "/", new URL("http://127.0.0.1"));
            const isOurs =
                target?.pathname === path &&
                (state === undefined || target.searchParams.get("state") === state);
            const headers = { "content-type": "text/plain", connection: "close" };
            response.writeHead(isOurs ? 200 : 404, headers);
            response.end(isOurs ? "You can close this page and return to North." : "Not found.");
            if (isOurs) resolve(target.searchParams);
        });
    });
    listener.listen(asked, "127.0.0.1");
    await once(listener, "listening");
    const { port } = listener.address() as AddressInfo;
    return {
        port,
        url: `http://127.0.0.1:${port}${path}`,
        answer,
        close() {
            listener.close();
            listener.closeAllConnections();
        },
    };
}
