import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { buffer, text as textOf } from "node:stream/consumers";
import { type ResponsesServerOptions, startResponsesServer } from "./responses-server.js";
import { check, type Fields, isFields, Rejection } from "./streaming-server.js";

/**
 * Sign in with ChatGPT on loopback, with its rules: the authorization server, and OpenAI's API for a
 * plan's token in front of the strict Responses API.
 * https://developers.openai.com/siwc/token-sharing-open-source
 */

const RESOURCE = "https://api.openai.com/v1";
const IDENTITY = ["openid", "profile", "email", "offline_access", "resource.invoke"];
const PLAN_SCOPE = "chatgpt.tokens.use.direct";
const HOUR_S = 3_600;

/** https://developers.openai.com/siwc/token-sharing-open-source/preview-limitations */
const UNSUPPORTED = [
    ...["background", "conversation", "max_output_tokens", "max_tool_calls", "metadata"],
    ...["moderation", "multi_agent", "prompt", "prompt_cache_retention", "safety_identifier"],
    ...["temperature", "top_logprobs", "top_p", "truncation", "user", "previous_response_id"],
];

export interface ChatGptServerOptions extends Pick<ResponsesServerOptions, "script"> {
    readonly models?: readonly Fields[];
}

interface Consent {
    readonly client: string;
    readonly challenge: string;
    readonly redirectUri: string;
    readonly scope: string;
}

const LISTED = { slug: "gpt-6.2-sol", display_name: "GPT-6.2 Sol", visibility: "list" };

export async function startChatGptServer(options: ChatGptServerOptions) {
    const inner = await startResponsesServer({ script: options.script });
    const codes = new Map<string, Consent>();
    const clients = new Map<string, string>();
    const state = {
        /** Seconds that a token is said to last. */
        lastsSeconds: HOUR_S,
        sharesPlan: true,
        /** Answers each renewal with this status. */
        renewalStatus: 200,
        refresh: new Set<string>(),
        access: new Set<string>(),
        /** What the pages and forms had, in order. */
        authorizations: [] as URLSearchParams[],
        forms: [] as URLSearchParams[],
        /** Requests to the API as sent. */
        bodies: [] as Fields[],
        problems: [] as string[],
        gate: Promise.resolve() as Promise<unknown>,
    };

    const send = (response: http.ServerResponse, status: number, body: unknown) =>
        response
            .writeHead(status, { "content-type": "application/json" })
            .end(JSON.stringify(body));

    const authorize = (asked: URLSearchParams, response: http.ServerResponse) => {
        state.authorizations.push(asked);
        const redirect = new URL(asked.get("redirect_uri") ?? "");
        const host = asked.get("ext_agent_host_id") ?? "";
        const known = asked.get("client_id") ?? "";
        const isFirst = known === "dynamic_agent_client";
        const scope = asked.get("scope") ?? "";
        const scopes = scope.split(" ");
        const isValid =
            redirect.protocol === "http:" &&
            redirect.hostname === "127.0.0.1" &&
            redirect.pathname === "/auth/callback" &&
            asked.get("response_type") === "code" &&
            asked.get("resource") === RESOURCE &&
            asked.get("code_challenge_method") === "S256" &&
            /^[\w-]{43}$/.test(asked.get("code_challenge") ?? "") &&
            /^urn:uuid:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(host) &&
            [...IDENTITY, PLAN_SCOPE].every((each) => scopes.includes(each)) &&
            ["state", "nonce"].every((name) => (asked.get(name) ?? "").length >= 16) &&
            (isFirst ? asked.get("agent_name_hint") === "North" : clients.get(known) === host);
        if (!isValid) return void send(response, 400, { error: "invalid_request" });
        const client = isFirst ? `oaiapp_${randomUUID()}` : known;
        clients.set(client, host);
        const code = randomUUID();
        codes.set(code, {
            client,
            challenge: asked.get("code_challenge") ?? "",
            redirectUri: redirect.href,
            scope: state.sharesPlan ? scope : IDENTITY.join(" "),
        });
        redirect.searchParams.set("code", code);
        redirect.searchParams.set("state", asked.get("state") ?? "");
        if (isFirst) redirect.searchParams.set("client_id", client);
        response.writeHead(302, { location: redirect.href }).end();
    };

    /** The tokens' scope, or `undefined` if the grant is refused. Each grant is valid once. */
    const redeem = (form: URLSearchParams): string | undefined => {
        if (form.get("resource") !== RESOURCE || form.has("client_secret")) return undefined;
        const client = form.get("client_id") ?? "";
        if (form.get("grant_type") === "refresh_token") {
            const isKnown = clients.has(client) && !form.has("scope");
            const spent = state.refresh.delete(form.get("refresh_token") ?? "");
            return isKnown && spent ? [...IDENTITY, PLAN_SCOPE].join(" ") : undefined;
        }
        const code = form.get("code") ?? "";
        const consent = codes.get(code);
        codes.delete(code);
        const proof = createHash("sha256").update(form.get("code_verifier") ?? "");
        return consent?.client === client &&
            consent.redirectUri === form.get("redirect_uri") &&
            consent.challenge === proof.digest("base64url")
            ? consent.scope
            : undefined;
    };

    const exchange = async (request: http.IncomingMessage, response: http.ServerResponse) => {
        const form = new URLSearchParams(await textOf(request));
        state.forms.push(form);
        await state.gate;
        const isRenewal = form.get("grant_type") === "refresh_token";
        if (isRenewal && state.renewalStatus !== 200) {
            return send(response, state.renewalStatus, {});
        }
        const scope = redeem(form);
        if (scope === undefined || request.headers.authorization) {
            return send(response, 400, { error: "invalid_grant" });
        }
        const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
        state.access.add(access);
        state.refresh.add(refresh);
        return send(response, 200, {
            access_token: access,
            refresh_token: refresh,
            id_token: "header.claims.signature",
            token_type: "Bearer",
            expires_in: state.lastsSeconds,
            scope,
        });
    };

    const revoke = async (request: http.IncomingMessage, response: http.ServerResponse) => {
        const form = new URLSearchParams(await textOf(request));
        state.forms.push(form);
        const isKnown = clients.has(form.get("client_id") ?? "");
        if (!isKnown || form.get("token_type_hint") !== "refresh_token") {
            return send(response, 400, { error: "invalid_request" });
        }
        state.refresh.delete(form.get("token") ?? "");
        state.access.clear();
        return send(response, 200, {});
    };

    const hasToken = ({ headers }: http.IncomingMessage) =>
        state.access.has((headers.authorization ?? "").replace("Bearer ", ""));

    /** Forwards what a plan accepts, in the form that an API key's request has. */
    const forward = async (request: http.IncomingMessage, response: http.ServerResponse) => {
        const raw = await buffer(request);
        let unwrapped: Fields;
        try {
            const body: unknown = JSON.parse(raw.toString());
            check(isFields(body), "The body must be an object");
            state.bodies.push(body);
            unwrapped = unwrap(body);
        } catch (error) {
            if (!(error instanceof Rejection)) throw error;
            state.problems.push(error.message);
            const code = "subscription_sharing_unsupported_capability";
            return send(response, 400, { error: { code, message: error.message } });
        }
        const answer = await fetch(`${inner.url}/responses`, {
            method: "POST",
            headers: { authorization: "Bearer inner", "content-type": "application/json" },
            body: JSON.stringify(unwrapped),
        });
        const type = answer.headers.get("content-type") ?? "";
        response.writeHead(answer.status, { "content-type": type });
        return response.end(Buffer.from(await answer.arrayBuffer()));
    };

    const server = http.createServer((request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
        const route = `${request.method} ${pathname}`;
        if (route === "GET /api/accounts/authorize") return authorize(searchParams, response);
        if (route === "POST /api/accounts/oauth/token") return void exchange(request, response);
        if (route === "POST /api/accounts/oauth/revoke") return void revoke(request, response);
        if (!hasToken(request)) {
            const code = "subscription_sharing_invalid_user";
            return void send(response, 401, { error: { code, message: "Invalid user." } });
        }
        const { models = [LISTED] } = options;
        if (route === "GET /v1/models") return void send(response, 200, { models });
        if (route === "POST /v1/responses") return void forward(request, response);
        const code = "subscription_sharing_route_not_supported";
        send(response, 403, { error: { code, message: "This route is not supported." } });
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return {
        state,
        inner,
        /** For `CHATGPT_BASE_URL`. */
        url: `${origin}/v1`,
        async close() {
            server.closeAllConnections();
            server.close();
            await Promise.all([once(server, "close"), inner.close()]);
        },
    };
}

export type ChatGptServer = Awaited<ReturnType<typeof startChatGptServer>>;

/** Throws a `Rejection` for what a plan does not take. */
function unwrap(body: Fields): Fields {
    const refused = UNSUPPORTED.find((field) => field in body);
    check(refused === undefined, `Unsupported parameter: ${refused}`);
    check(body.stream === true && body.store === false, "Set stream to true, store to false.");
    check(Array.isArray(body.input), "input must be an array");
    const input = (body.input as Fields[]).map((item) => {
        check(item.role !== "system", "System messages are not supported.");
        if (item.type !== "function_call") return item;
        const { namespace, ...call } = item;
        check(namespace === "north", `Missing namespace for function_call '${String(item.name)}'.`);
        return call;
    });
    const tools = ((body.tools ?? []) as Fields[]).flatMap((group) => {
        check(group.type === "namespace", `Unsupported tool outside a namespace: ${group.type}`);
        const { name, description, tools: functions } = group;
        check(typeof name === "string" && /^\w{1,64}$/.test(name), "Invalid namespace name");
        check(typeof description === "string" && description !== "", "Missing description");
        check(Array.isArray(functions) && functions.length > 0, "An empty namespace");
        return functions as Fields[];
    });
    return { ...body, input, ...(body.tools !== undefined && { tools }) };
}
