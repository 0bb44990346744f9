import { once } from "node:events";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { withTimeLimit } from "../../base/waiting.js";
import { tooSlow } from "../../base/pacer.js";
import type { FoundLines, LineSearch, SearchBounds } from "./line-search.js";

/** In a worker, which can be ended amid a match. Rejects with `timeout` or the signal's reason. */
export async function searchInWorker(
    search: LineSearch,
    { limitMs, signal }: SearchBounds
): Promise<FoundLines> {
    signal?.throwIfAborted();
    // The build keeps both files next to each other, as they are here.
    const file = new URL(`./search-worker${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(file, { workerData: search, env: {} });
    try {
        return await withTimeLimit(
            limitMs,
            async (ended) => {
                const [lines] = await once(worker, "message", { signal: ended });
                return lines;
            },
            { signal, reason: () => tooSlow("The search", limitMs) }
        );
    } catch (error) {
        // The AbortError from `once` wraps the reason.
        throw error instanceof Error && error.name === "AbortError" ? error.cause : error;
    } finally {
        await worker.terminate();
    }
}
