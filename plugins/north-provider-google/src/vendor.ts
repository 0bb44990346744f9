import type { Vendor } from "north-cli/provider-kit";

export const GOOGLE = {
    id: "google",
    name: "Google",
    keyVariable: "GEMINI_API_KEY",
    baseURLVariable: "GOOGLE_GEMINI_BASE_URL",
    baseURL: "https://generativelanguage.googleapis.com",
    keyHeader: "x-goog-api-key",
} as const satisfies Vendor;

export const VERTEX = {
    id: "vertex",
    name: "Vertex AI",
    baseURLVariable: "GOOGLE_VERTEX_BASE_URL",
    baseURL: "https://aiplatform.googleapis.com",
} as const satisfies Vendor;

/** https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations */
export function vertexAddress(location: string): string {
    if (location === "global") return VERTEX.baseURL;
    return location.includes("-")
        ? `https://${location}-aiplatform.googleapis.com`
        : `https://aiplatform.${location}.rep.googleapis.com`;
}

export const SIGN_IN: readonly string[] = [
    "Sign in with `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS to a key file.",
];
