import { jsonValue } from "./json-value.js";

/** Called by North at startup. */
export default async function register() {
    return { apiVersion: 1, tools: [jsonValue] };
}
