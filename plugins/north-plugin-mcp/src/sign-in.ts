import { randomBytes } from "node:crypto";
import { NorthError } from "north-cli/plugin";
import { type Definition, findDefinition } from "./definitions.js";
import { type Launch, launchOf } from "./launch.js";
import { ask } from "./manage.js";
import { environmentOf, type McpFolders } from "./folders.js";
import { counted, reasonOf } from "./reason.js";
import { type SignInStore, providerOf } from "./sign-in-tokens.js";
import { openStore, type Store } from "./stored.js";

/** How long the user in the browser, and the server, may take. */
const SIGN_IN_MS = 5 * 60_000;

/** Removes the tokens from this machine; does not notify the server. */
export async function signOut(folders: McpFolders, name: string): Promise<string> {
    const wasSignedIn = await openStore(folders).signOut(await findDefinition(folders, name));
    return wasSignedIn ? `Removed your sign-in to ${name}.` : `You were not signed in to ${name}.`;
}

/**
 * Lets the user sign in to a server in the browser, and stores the tokens. Rejects with a
 * `NorthError`.
 */
export async function signIn(
    folders: McpFolders,
    name: string,
    show: (text: string) => void,
    signal?: AbortSignal
): Promise<string> {
    const definition = await findDefinition(folders, name);
    const store = openStore(folders);
    const launch = launchOf(definition, environmentOf(folders));
    if ((await store.permission(definition)) === undefined) {
        throw new NorthError("not-allowed", `${name} is not allowed to run.`, [
            `Run \`north mcp allow ${name}\` first.`,
        ]);
    }

    if (launch.kind !== "http") {
        throw new NorthError("no-sign-in", `${name} is a local program and needs no sign-in.`);
    }
    const { withTimeLimit } = await import("north-cli/provider-kit");
    const place = { folders, definition, launch, store, show };
    return withTimeLimit(SIGN_IN_MS, (stop) => inBrowser(place, stop), {
        ...(signal && { signal }),
    });
}

interface SignInPlace {
    readonly folders: McpFolders;
    readonly definition: Definition;
    readonly launch: Extract<Launch, { kind: "http" }>;
    readonly store: Store;
    show(text: string): void;
}

async function inBrowser(
    { folders, definition, launch, store, show }: SignInPlace,
    stop: AbortSignal
): Promise<string> {
    const { name } = definition;
    const { Client, UnauthorizedError } = await import("@modelcontextprotocol/client");
    const { httpTransport } = await import("./transport.js");
    const { listenForCallback, untilAborted } = await import("north-cli/provider-kit");
    const { listOffers } = await import("./list-offers.js");
    const { scope } = (await store.signIn(definition)) ?? {};
    const state = randomBytes(16).toString("hex");
    const callback = await listenForCallback({
        ...{ path: "/callback", state, port: launch.callbackPort },
    });
    const kept: SignInStore = { write: (made) => store.keepSignIn(definition, made) };
    const { client_id } = launch.client;
    const known = {
        ...(client_id !== undefined && { client: { ...launch.client, client_id } }),
        ...(typeof scope === "string" && { scope }),
    };
    const authProvider = providerOf(kept, known, { state, url: callback.url }, (url) => {
        if (!/^https?:$/.test(url.protocol)) {
            throw new NorthError("invalid-server", "its sign-in page is not on the web");
        }
        show(`Open this URL to sign in to ${name}:\n${url.href}`);
    });
    const transport = httpTransport(launch, authProvider, { signal: stop });
    const client = new Client(
        { name: "north", version: "1" },
        { versionNegotiation: { mode: "auto" } }
    );
    try {
        await client.connect(transport);
        // Some servers let anyone initialize.
        await listOffers(client);
        return `${name} needs no sign-in.`;
    } catch (error) {
        if (!(error instanceof UnauthorizedError)) throw failure(name, error, stop);
        const answered = untilAborted(callback.answer, stop);
        await answered
            .then((answer) => transport.finishAuth(answer))
            .catch((refused: unknown) => {
                throw failure(name, refused, stop);
            });
        // Stores the tools, so that the next start has them without a wait.
        const { tools } = await ask(definition, folders, store);
        return `You are signed in to ${name}, which offers ${counted(tools.length, "tool")}.`;
    } finally {
        callback.close();
        await client.close().catch(() => {});
    }
}

function failure(name: string, error: unknown, { aborted }: AbortSignal): NorthError {
    if (aborted) {
        return new NorthError("sign-in-failed", "Not signed in: the sign-in was not completed.");
    }
    return new NorthError("sign-in-failed", `Not signed in to ${name}: ${reasonOf(error)}`, [
        `Run \`north mcp login ${name}\` again.`,
    ]);
}
