import { NorthError } from "north-cli/plugin";
import { keyHeaders, type Server, untilAborted } from "north-cli/provider-kit";
import { SIGN_IN } from "./vendor.js";

/** What a request to Vertex AI needs. */
interface Credentials {
    readonly project: string;
    readonly headers: Readonly<Record<string, string>>;
}

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";

/**
 * Finds application default credentials, and renews them in time: a file, `gcloud`'s own, or the
 * machine's. https://cloud.google.com/docs/authentication/application-default-credentials
 */
export function findCredentials(server: Server): (signal: AbortSignal) => Promise<Credentials> {
    const project = process.env.GOOGLE_CLOUD_PROJECT || process.env.GCLOUD_PROJECT;
    if (server.apiKey) {
        return async () => ({ project: project ?? noProject(), headers: keyHeaders(server) });
    }
    const opening = openLibrary(server.fetch);
    opening.catch(() => undefined);
    return async (signal) => {
        const find = async () => {
            const auth = await opening;
            const headers = await auth.getRequestHeaders();
            const found = project ?? (await auth.getProjectId().catch(noProject));
            return { project: found, headers: Object.fromEntries(headers) };
        };
        return untilAborted(find(), signal).catch((error: unknown) => {
            signal.throwIfAborted();
            throw isUnreachable(error) ? error : noCredentials(error);
        });
    };
}

async function openLibrary(fetchImplementation: typeof fetch) {
    const { GoogleAuth } = await import("google-auth-library");
    return new GoogleAuth({
        scopes: SCOPE,
        // Through the user's proxy, and within North's limits.
        clientOptions: { transporterOptions: { fetchImplementation } },
    });
}

/** A failure of the network, which may pass; a file's has a path. */
function isUnreachable(error: unknown): boolean {
    if (!(error instanceof Error) || !("code" in error) || "path" in error) return false;
    return /^E[A-Z]/.test(String(error.code));
}

function noCredentials(error: unknown): NorthError {
    if (error instanceof NorthError) return error;
    const reason = error instanceof Error ? error.message.split(/\.\s|\n/)[0] : String(error);
    return new NorthError(
        "authentication",
        `There are no Google Cloud credentials: ${reason}.`.replace(/\.\.$/, "."),
        SIGN_IN,
        { cause: error }
    );
}

function noProject(): never {
    throw new NorthError("invalid-request", "The Google Cloud project is not known.", [
        "Set GOOGLE_CLOUD_PROJECT.",
    ]);
}
