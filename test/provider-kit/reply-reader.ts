/**
 * Reads a reply from the URL that is its argument, within a second of silence; prints its pieces, and
 * suspends itself while it waits for the second one.
 */
import { withLimits } from "../../src/provider-kit/limits.js";
import { createNodeHttpFetch } from "../../src/provider-kit/node-http-fetch.js";

const vendor = { id: "acme", name: "Acme", baseURL: "http://127.0.0.1" };
const limits = { requestMs: 60_000, silenceMs: 1_000 };
const { body } = await withLimits(createNodeHttpFetch(), limits, vendor)(process.argv[2] ?? "");
let isFirst = true;
for await (const piece of body ?? []) {
    process.stdout.write(piece);
    if (isFirst) setImmediate(() => process.kill(process.pid, "SIGSTOP"));
    isFirst = false;
}
