import { jsonValue } from "./json-value.js";

/** What North asks for when it starts. */
export default async function register() {
    return { apiVersion: 1, tools: [jsonValue] };
}
