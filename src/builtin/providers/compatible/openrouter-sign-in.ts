import { randomBytes } from "node:crypto";
import { untilAborted } from "../../../base/waiting.js";
import type { ConnectionSettings, Provider } from "../../../plugin/index.js";
import { failureOf } from "../../../provider-kit/failures.js";
import { listenForCallback } from "../../../provider-kit/listen-for-callback.js";
import { openServer } from "../../../provider-kit/open-server.js";
import { isJsonObject } from "../../../provider-kit/tool-input.js";
import { createProof, notSignedIn } from "../browser-sign-in.js";
import { toBodyFailure } from "../openai/error-mapping.js";
import { type CompatibleDefinition, toVendor } from "./definition.js";

// https://openrouter.ai/docs/guides/overview/auth/oauth: PKCE without client registration, to any
// port of localhost; the result is an ordinary key of the user's account.

const NEXT = "Run it again, or paste a key without --browser.";

/** Rejects with `sign-in-failed`, with the vendor's failure, or with the signal's reason. */
export async function signInToOpenRouter(
    definition: CompatibleDefinition,
    settings: ConnectionSettings,
    { show, signal }: Parameters<NonNullable<Provider["signIn"]>>[1]
): Promise<string> {
    const { verifier, challenge } = createProof();
    const path = `/callback/${randomBytes(16).toString("hex")}`;
    const callback = await listenForCallback({ path });
    try {
        const page = new URL("/auth", settings.baseURL ?? definition.baseURL);
        page.search = new URLSearchParams({
            // The vendor allows loopback by this name only.
            callback_url: `http://localhost:${callback.port}${path}`,
            code_challenge: challenge,
            code_challenge_method: "S256",
        }).toString();
        show(page.href);
        const code = (await untilAborted(callback.answer, signal)).get("code");
        if (!code) throw notSignedIn("the browser came back without a code", NEXT);
        return await keyFor({ code, code_verifier: verifier }, definition, settings, signal);
    } finally {
        callback.close();
    }
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
    if (response.status === 403) throw notSignedIn(`${vendor.name} does not accept the code`, NEXT);
    if (!response.ok) throw toBodyFailure(error, vendor, response);
    if (typeof key === "string" && key !== "") return key;
    throw notSignedIn(`${vendor.name} sent no key`, NEXT);
}
