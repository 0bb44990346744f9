import { createHash, randomBytes } from "node:crypto";
import { NorthError } from "../../base/north-error.js";

/** A verifier and its challenge: https://datatracker.ietf.org/doc/html/rfc7636 */
export function createProof() {
    const verifier = randomBytes(32).toString("base64url");
    return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** `sign-in-failed`: the browser, or the exchange that follows, brought no key. */
export function notSignedIn(reason: string, next: string): NorthError {
    return new NorthError("sign-in-failed", `Not signed in: ${reason}.`, [next]);
}
