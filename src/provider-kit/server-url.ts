import { NorthError } from "../base/north-error.js";

/** The host of a base URL. Throws `invalid-request` with this advice where it is none. */
export function hostOf(baseURL: string, advice: string): string {
    if (!/^https?:/.test(baseURL) || !URL.canParse(baseURL)) {
        throw new NorthError("invalid-request", `${baseURL} is not a URL of a server.`, [advice]);
    }

    return new URL(baseURL).host;
}
