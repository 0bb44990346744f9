import { isIP } from "node:net";
import { NorthError } from "../../../base/north-error.js";
import { parseUrl } from "../../../base/parse-url.js";
import type { AddressPolicy } from "../../../base/public-address.js";

/** The host as written: no user, port, or normalization. */
const WRITTEN_HOST = /^https?:\/\/(\[[^\]]*\]|[^/?#:@\\]*)(?::\d*)?(?:[/?#]|$)/i;

/**
 * Parses a URL that a model may fetch. Throws `invalid-url` if it is malformed, has another scheme
 * or a user, or is a disguised IPv4 address (`http://2130706433/`, `http://0x7f.1/`).
 */
export function parseTarget(text: string): URL {
    const url = parseUrl(text);
    if (url === undefined) throw invalidUrl(`${JSON.stringify(text)} is not a URL.`);
    if (url.protocol !== "http:" && url.protocol !== "https:") {
        throw invalidUrl(`Only http and https can be fetched, not ${url.protocol}`);
    }

    if (url.username !== "" || url.password !== "") {
        throw invalidUrl("URLs with a user name or password are not fetched.");
    }

    const written = WRITTEN_HOST.exec(text)?.[1];
    if (written === undefined) throw invalidUrl(`${JSON.stringify(text)} is not a plain URL.`);
    // The URL parser accepts an IPv4 address in any base, but people would not recognize it.
    if (isIP(url.hostname) === 4 && written !== url.hostname) {
        throw invalidUrl(`${written} is another way to write ${url.hostname}; write it plainly.`);
    }

    url.hash = "";
    return url;
}

/** The name under which a permission is stored: another port is another service. */
export function hostOf({ hostname, port }: URL): string {
    const name = hostname.replace(/\.$/, "");
    return port === "" ? name : `${name}:${port}`;
}

/**
 * Rejects a host that is itself a forbidden address (which needs no lookup), or names this machine
 * (RFC 6761).
 */
export function checkLiteralAddress(url: URL, isPublicAddress: AddressPolicy): void {
    const isThisMachine = /(?:^|\.)localhost\.?$/.test(url.hostname);
    const address = isThisMachine ? "127.0.0.1" : url.hostname.replace(/^\[|\]$/g, "");
    if (isIP(address) !== 0 && !isPublicAddress(address)) {
        throw refusedAddress(url.hostname, address);
    }
}

/** The error for a connection refused because of where it leads. */
export function refusedAddress(host: string, address: string): NorthError {
    return new NorthError(
        "address-refused",
        `${host} is not on the public internet (${address}); it is not fetched.`,
        ["Use a shell command if the user wants something from the local network."]
    );
}

function invalidUrl(message: string): NorthError {
    return new NorthError("invalid-url", message, ["Pass a full http or https URL."]);
}
