import { plainText, type Server, toFailure, toJson } from "north-cli/provider-kit";

/** Sends a request, by POST if it has a body. Rejects with the server's error. */
export async function send(
    { fetch, baseURL, vendor }: Server,
    path: string,
    signal: AbortSignal,
    body?: object | Buffer<ArrayBuffer>
): Promise<Response> {
    const bytes = body instanceof Buffer ? body : toJson(body ?? null);
    const response = await fetch(`${baseURL}${path}`, {
        headers: { "content-type": "application/json" },
        ...(body === undefined ? {} : { method: "POST", body: bytes }),
        signal,
    });
    if (response.ok) return response;
    const { status, headers } = response;
    const said = errorIn(await response.text());
    throw toFailure({ status, headers, ...(said === undefined ? {} : { said }) }, vendor);
}

/** The server's own sentence: `{"error": "model 'x' not found"}`. */
export function errorIn(text: string): string | undefined {
    try {
        const { error } = JSON.parse(text) ?? {};
        return typeof error === "string" ? error : undefined;
    } catch {
        return plainText(text);
    }
}
