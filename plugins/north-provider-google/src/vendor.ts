import type { Vendor } from "north-cli/provider-kit";

export const GOOGLE = {
    id: "google",
    name: "Google",
    keyVariable: "GEMINI_API_KEY",
    baseURLVariable: "GOOGLE_GEMINI_BASE_URL",
    baseURL: "https://generativelanguage.googleapis.com",
    keyHeader: "x-goog-api-key",
} as const satisfies Vendor;
