import { NorthError } from "../../../base/north-error.js";
import { untilAborted } from "../../../base/waiting.js";
import type { ConnectionSettings, JsonObject } from "../../../plugin/index.js";
import { failureOf, toFailure } from "../../../provider-kit/failures.js";
import { LIMITS } from "../../../provider-kit/limits.js";
import { createNodeHttpFetch } from "../../../provider-kit/node-http-fetch.js";
import { openServer } from "../../../provider-kit/open-server.js";
import { isJsonObject } from "../../../provider-kit/tool-input.js";
import { CHATGPT } from "./plan.js";

// https://developers.openai.com/siwc/token-sharing-open-source/token-reference

export const RESOURCE = "https://api.openai.com/v1";
/** Without it, the account does not share its plan. */
const PLAN_SCOPE = "chatgpt.tokens.use.direct";
export const SCOPES = `openid profile email offline_access resource.invoke ${PLAN_SCOPE}`;

/** A token lasts an hour; none should end between the check and the request. */
const MARGIN_MS = 3 * 60_000;
const EXCHANGE_MS = 20_000;

/** Who the account has registered: the client is issued at the first sign-in. */
interface Owner {
    readonly client: string;
    /** This machine, as an opaque URI. */
    readonly host: string;
}

interface PlanTokens extends Owner {
    readonly access: string;
    /** Valid once. */
    readonly refresh: string;
    /** Milliseconds since 1970. */
    readonly expiresAt: number;
}

export function isIssued(client: string | null | undefined): client is string {
    return /^oaiapp_[\w-]+$/.test(client ?? "");
}

/** The tokens in a stored key, which are separate words, so that each is redacted. */
export function tokensIn(key = ""): PlanTokens | undefined {
    const [client, host = "", access = "", refresh = "", expiresAt = ""] = key.split(" ");
    if (!isIssued(client)) return undefined;
    return { client, host, access, refresh, expiresAt: Number(expiresAt) };
}

/** Where users sign in: OpenAI, or the server that stands for it. */
export function issuerOf({ baseURL }: ConnectionSettings): string {
    return baseURL ? new URL(baseURL).origin : "https://auth.openai.com";
}

interface Exchange {
    readonly owner: Owner;
    readonly grant: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
    /** The error if the vendor does not accept the grant. */
    readonly refused: () => NorthError;
}

/**
 * Exchanges a code or a refresh token for a key to store. Rejects with `refused`, with
 * `sign-in-failed` if the account does not share its plan, or like a request.
 */
export async function exchange(
    settings: ConnectionSettings,
    { owner, grant, signal, refused }: Exchange
): Promise<string> {
    const { client, host } = owner;
    const form = { ...grant, client_id: client, resource: RESOURCE };
    const { response, answer } = await post(settings, "/api/accounts/oauth/token", form, signal);
    const { status, headers } = response;
    if (status === 400 || status === 401) throw refused();
    if (!response.ok) throw toFailure({ status, headers }, CHATGPT);
    const { access_token: access, refresh_token: refresh, expires_in: seconds, scope } = answer;
    if (![access, refresh].every((token) => typeof token === "string" && /^\S+$/.test(token))) {
        throw toFailure({ code: "server-error", said: "it sent no tokens" }, CHATGPT);
    }
    if (typeof scope === "string" && !scope.split(" ").includes(PLAN_SCOPE)) throw notShared();
    return [client, host, access, refresh, Date.now() + Number(seconds ?? 0) * 1_000].join(" ");
}

/** Ends the sign-in at the vendor, whose page names where. Rejects like a request. */
export async function signOutOfChatGPT(
    settings: ConnectionSettings,
    { signal }: { readonly signal: AbortSignal }
): Promise<void> {
    const tokens = tokensIn(settings.apiKey);
    if (tokens === undefined) return;
    const form = {
        token: tokens.refresh,
        token_type_hint: "refresh_token",
        client_id: tokens.client,
    };
    const { response } = await post(settings, "/api/accounts/oauth/revoke", form, signal);
    const { ok, status, headers } = response;
    if (!ok) throw toFailure({ status, headers }, CHATGPT);
}

async function post(
    settings: ConnectionSettings,
    path: string,
    form: Readonly<Record<string, string>>,
    signal?: AbortSignal
): Promise<{ readonly response: Response; readonly answer: JsonObject }> {
    const { apiKey: _none, ...open } = settings;
    const server = openServer(open, CHATGPT, { ...LIMITS, requestMs: EXCHANGE_MS });
    try {
        const response = await server.fetch(`${issuerOf(settings)}${path}`, {
            method: "POST",
            headers: { "content-type": "application/x-www-form-urlencoded" },
            body: new URLSearchParams(form).toString(),
            ...(signal && { signal }),
        });
        const answer: unknown = await response.json().catch(() => undefined);
        return { response, answer: isJsonObject(answer) ? answer : {} };
    } catch (error) {
        throw failureOf(error, server, () => undefined);
    }
}

/**
 * Settings whose requests carry the account's token, renewed before it ends and when it is refused.
 * Several Norths share the stored one.
 */
export function withPlanToken({ apiKey, ...settings }: ConnectionSettings): ConnectionSettings {
    const { fetch: send = createNodeHttpFetch(), renewKey } = settings;
    let tokens = tokensIn(apiKey);
    const renew = async (spent: PlanTokens | undefined) => {
        const key = await renewKey?.(async (stored) => {
            const current = tokensIn(stored);
            if (current === undefined) throw signedOut();
            if (current.access !== spent?.access && isFresh(current)) return stored;
            const grant = { grant_type: "refresh_token", refresh_token: current.refresh };
            return exchange(settings, { owner: current, grant, refused: signedOut });
        });
        tokens = tokensIn(key);
        if (tokens === undefined) throw signedOut();
        return tokens;
    };
    // An unstored key, as at the sign-in, cannot be renewed.
    const isUsable = (known: PlanTokens | undefined): known is PlanTokens =>
        known !== undefined && (isFresh(known) || !renewKey);
    const authorized: typeof fetch = async (input, init) => {
        const ask = async ({ access }: PlanTokens) => {
            const headers = new Headers(init?.headers);
            headers.set("authorization", `Bearer ${access}`);
            return send(input, { ...init, headers });
        };
        // Not aborted with the request: the vendor may have spent the refresh token already.
        const renewed = (spent: PlanTokens | undefined) =>
            untilAborted(renew(spent), init?.signal ?? new AbortController().signal);
        const used = isUsable(tokens) ? tokens : await renewed(tokens);
        const response = await ask(used);
        if (response.status !== 401) return response;
        void response.body?.cancel();
        const again = await ask(await renewed(used));
        if (again.status === 401) throw signedOut();
        return again;
    };
    return { ...settings, fetch: authorized };
}

function isFresh({ expiresAt }: PlanTokens): boolean {
    return expiresAt - MARGIN_MS > Date.now();
}

function signedOut(): NorthError {
    return new NorthError("authentication", "Your ChatGPT sign-in has expired.", [
        "Run `north login chatgpt` again.",
    ]);
}

function notShared(): NorthError {
    return new NorthError("sign-in-failed", "Your ChatGPT plan is not shared with North.", [
        "Run `north login chatgpt` again and allow it; OpenAI offers it with Plus and Pro.",
        "Or use an API key: `north login openai`.",
    ]);
}
