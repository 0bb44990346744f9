import type { Vendor } from "north-cli/provider-kit";

export const MISTRAL: Vendor = {
    name: "Mistral",
    id: "mistral",
    keyVariable: "MISTRAL_API_KEY",
    baseURLVariable: "MISTRAL_BASE_URL",
    baseURL: "https://api.mistral.ai",
};
