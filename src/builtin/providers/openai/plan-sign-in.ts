import { randomBytes, randomUUID } from "node:crypto";
import { untilAborted } from "../../../base/waiting.js";
import type { ConnectionSettings, Provider } from "../../../plugin/index.js";
import { listenForCallback } from "../../../provider-kit/listen-for-callback.js";
import { createProof, notSignedIn } from "../browser-sign-in.js";
import { exchange, isIssued, issuerOf, RESOURCE, SCOPES, tokensIn } from "./plan-tokens.js";

// https://developers.openai.com/siwc/token-sharing-open-source/sign-in

/** Registers North for one account; the vendor answers with the client to use from then on. */
const FIRST_CLIENT = "dynamic_agent_client";
const AGAIN = "Run `north login chatgpt` again.";

/** Signs in to a ChatGPT account. Resolves with its tokens in place of a key. */
export async function signInToChatGPT(
    settings: ConnectionSettings,
    { show, signal }: Parameters<NonNullable<Provider["signIn"]>>[1]
): Promise<string> {
    const { verifier, challenge } = createProof();
    const [state, nonce] = [random(), random()];
    const { client: known, host = `urn:uuid:${randomUUID()}` } = tokensIn(settings.apiKey) ?? {};
    const callback = await listenForCallback({ path: "/auth/callback", state });
    try {
        const page = new URL("/api/accounts/authorize", issuerOf(settings));
        page.search = new URLSearchParams({
            client_id: known ?? FIRST_CLIENT,
            ...(known === undefined && { agent_name_hint: "North" }),
            ext_agent_host_id: host,
            redirect_uri: callback.url,
            response_type: "code",
            scope: SCOPES,
            resource: RESOURCE,
            state,
            nonce,
            code_challenge: challenge,
            code_challenge_method: "S256",
        }).toString();
        show(page.href);
        const answer = await untilAborted(callback.answer, signal);
        const code = answer.get("code");
        if (!code) throw notSignedIn(reasonIn(answer), AGAIN);
        const client = answer.get("client_id") ?? known;
        if (!isIssued(client) || (known ?? client) !== client) {
            throw notSignedIn("the browser came back without this account's registration", AGAIN);
        }
        const grant = { grant_type: "authorization_code", code, code_verifier: verifier };
        return await exchange(settings, {
            owner: { client, host },
            // North reads nothing about the person, so it does not use the ID token: what proves
            // that the code is this sign-in's are the verifier and the state.
            grant: { ...grant, redirect_uri: callback.url },
            signal,
            refused: () => notSignedIn("ChatGPT does not accept the code", AGAIN),
        });
    } finally {
        callback.close();
    }
}

function random(): string {
    return randomBytes(32).toString("base64url");
}

function reasonIn(answer: URLSearchParams): string {
    const error = answer.get("error");
    if (error === "access_denied") return "access was denied in the browser";
    return error ? `ChatGPT answered ${error}` : "the browser came back without a code";
}
