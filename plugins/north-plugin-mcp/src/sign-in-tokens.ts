import { setTimeout } from "node:timers/promises";
import type {
    OAuthClientProvider,
    OAuthDiscoveryState,
    StoredOAuthClientInformation,
    StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { NorthError } from "north-cli/plugin";
import type { Definition } from "./definitions.js";
import { isRecord } from "./json.js";
import type { Store } from "./stored.js";

/** The stored data of a sign-in. */
interface SignIn {
    readonly client?: StoredOAuthClientInformation;
    readonly tokens?: StoredOAuthTokens;
    /** Scopes that calls have needed so far, requested at the next sign-in. */
    readonly scope?: string;
}

/** Where a sign-in is kept, for every North of this user. */
export interface SignInStore {
    /** Absent while the user signs in: what was kept before does not count. */
    read?(): Promise<SignIn | undefined>;
    write(signIn: SignIn): Promise<void>;
}

/** How long another North that renews at the same time may take to keep the new tokens. */
const RENEWAL_MS = 2_000;

/**
 * Returns a provider with the tokens of an earlier sign-in, which it renews; `undefined` if there
 * was none.
 */
export async function signedIn(
    store: Store,
    definition: Definition
): Promise<OAuthClientProvider | undefined> {
    const stored = await store.signIn(definition);
    if (!isRecord(stored?.tokens)) return undefined;
    const kept: SignInStore = {
        read: () => store.signIn(definition),
        write: (signIn) => store.keepSignIn(definition, signIn),
    };
    return providerOf(kept, stored, undefined, async () => {
        throw new NorthError("sign-in-expired", "its sign-in has expired");
    });
}

/** Where the browser returns to. */
interface Callback {
    readonly url: string;
    readonly state: string;
}

export function providerOf(
    kept: SignInStore,
    stored: SignIn,
    callback: Callback | undefined,
    redirectToAuthorization: OAuthClientProvider["redirectToAuthorization"]
): OAuthClientProvider {
    let known = stored;
    let verifier = "";
    let discovery: OAuthDiscoveryState | undefined;
    const keep = async (change: SignIn) => {
        known = { ...known, ...change };
        await kept.write(known);
    };
    // A server takes a refresh token once, and another North may have used it.
    const readAgain = async () => {
        if (kept.read) known = { ...known, tokens: undefined, ...(await kept.read()) };
        return known.tokens;
    };
    return {
        redirectUrl: callback?.url ?? "http://127.0.0.1/callback",
        clientMetadata: {
            client_name: "North",
            redirect_uris: [callback?.url ?? "http://127.0.0.1/callback"],
            grant_types: ["authorization_code", "refresh_token"],
            response_types: ["code"],
            token_endpoint_auth_method: "none",
        },
        state: () => callback?.state ?? "",
        clientInformation: () => known.client,
        saveClientInformation: (client) => keep({ client }),
        // With a context before a renewal, without one before every request.
        tokens: (context) => (context ? readAgain() : known.tokens),
        async invalidateCredentials(what) {
            if (!kept.read || what !== "tokens") return;
            const refused = known.tokens?.refresh_token;
            const end = Date.now() + RENEWAL_MS;
            while ((await readAgain())?.refresh_token === refused && Date.now() < end) {
                await setTimeout(100);
            }
        },
        saveTokens: (tokens) => keep({ tokens }),
        async redirectToAuthorization(url) {
            const scopes = [known.scope, url.searchParams.get("scope")].join(" ").match(/\S+/g);
            if (scopes) {
                const scope = [...new Set(scopes)].join(" ");
                await keep({ scope });
                url.searchParams.set("scope", scope);
            }
            await redirectToAuthorization(url);
        },
        saveCodeVerifier: (text) => void (verifier = text),
        codeVerifier: () => verifier,
        saveDiscoveryState: (state) => void (discovery = state),
        discoveryState: () => discovery,
    };
}
