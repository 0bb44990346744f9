import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { NorthError } from "../../../base/north-error.js";
import { untilAborted } from "../../../base/waiting.js";
import type { ConnectionSettings, Provider } from "../../../plugin/index.js";
import { failureOf } from "../../../provider-kit/failures.js";
import { openServer } from "../../../provider-kit/open-server.js";
import { isJsonObject } from "../../../provider-kit/tool-input.js";
import { toBodyFailure } from "../openai/error-mapping.js";
import { type CompatibleDefinition, toVendor } from "./definition.js";

// https://openrouter.ai/docs/guides/overview/auth/oauth: PKCE without client registration, to any
// port of localhost; the result is an ordinary key of the user's account.

/** Rejects with `sign-in-failed`, with the vendor's failure, or with the signal's reason. */
export async function signInToOpenRouter(
    definition: CompatibleDefinition,
    settings: ConnectionSettings,
    { show, signal }: Parameters<NonNullable<Provider["signIn"]>>[1]
): Promise<string> {
    const verifier = randomBytes(32).toString("base64url");
    const callback = await listenForCode();
    try {
        const page = new URL("/auth", settings.baseURL ?? definition.baseURL);
        page.search = new URLSearchParams({
            callback_url: callback.url,
            code_challenge: createHash("sha256").update(verifier).digest("base64url"),
            code_challenge_method: "S256",
        }).toString();
        show(page.href);
        const code = (await untilAborted(callback.answer, signal)).get("code");
        if (!code) throw notSignedIn("the browser came back without a code");
        return await keyFor({ code, code_verifier: verifier }, definition, settings, signal);
    } finally {
        callback.close();
    }
}

/** The browser must come back to a path that only the vendor's page was told. */
async function listenForCode() {
    const path = `/callback/${randomBytes(16).toString("hex")}`;
    const listener = http.createServer();
    const answer = new Promise<URLSearchParams>((resolve) => {
        listener.on("request", (request, response) => {
            const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
            const isOurs = pathname === path;
            const headers = { "content-type": "text/plain", connection: "close" };
            response.writeHead(isOurs ? 200 : 404, headers);
            response.end(isOurs ? "You can close this page and return to North." : "Not found.");
            if (isOurs) resolve(searchParams);
        });
    });
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    const { port } = listener.address() as AddressInfo;
    return {
        // The vendor allows loopback by this name only.
        url: `http://localhost:${port}${path}`,
        answer,
        close() {
            listener.close();
            listener.closeAllConnections();
        },
    };
}

async function keyFor(
    proof: { readonly code: string; readonly code_verifier: string },
    definition: CompatibleDefinition,
    settings: ConnectionSettings,
    signal: AbortSignal
): Promise<string> {
    const { keyVariable: _none, ...vendor } = toVendor(definition);
    const server = openServer(settings, vendor);
    const asked = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...proof, code_challenge_method: "S256" }),
        signal,
    };
    const response = await server
        .fetch(`${server.baseURL}/auth/keys`, asked)
        .catch((error: unknown) => {
            throw failureOf(error, server, () => undefined);
        });
    const answer: unknown = await response.json().catch(() => undefined);
    const { key, error } = isJsonObject(answer) ? answer : {};
    // The code is refused, not a key.
    if (response.status === 403) throw notSignedIn(`${vendor.name} does not accept the code`);
    if (!response.ok) throw toBodyFailure(error, vendor, response);
    if (typeof key === "string" && key !== "") return key;
    throw notSignedIn(`${vendor.name} sent no key`);
}

function notSignedIn(reason: string): NorthError {
    return new NorthError("sign-in-failed", `Not signed in: ${reason}.`, [
        "Run it again, or paste a key without --browser.",
    ]);
}
