import { once } from "node:events";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { withTimeLimit } from "../base/waiting.js";
import { languageOfId } from "./languages.js";
import type { Section } from "./section.js";
import type { SyntaxError } from "./syntax-errors.js";
import { tooComplex } from "./too-complex.js";

interface Found {
    readonly sections: readonly Section[];
    readonly errors: readonly SyntaxError[];
}

export interface ParseRequest {
    readonly what: keyof Found;
    readonly languageId: string;
    readonly text: string;
}

export type ParseAnswer =
    | { readonly kind: "read"; readonly found: Found[keyof Found] }
    | { readonly kind: "too-complex" };

const MOST_CHARACTERS = 20_000_000;
/** Parsers read two million characters per second, but take quadratic time for some texts. */
const LEAST_LIMIT_MS = 3_000;
const CHARACTERS_PER_MS = 100;
const LOADING_MS = 30_000;
/** Max distinct `<style>` and `<script>` tags used to preload grammars. */
const MOST_EMBEDDED = 10;

let worker: Worker | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Parses in a worker, one text at a time, because no parser can be interrupted within some texts.
 * Rejects with `too-complex` or the signal's reason.
 */
export async function parseInWorker<What extends keyof Found>(
    what: What,
    languageId: string,
    text: string,
    signal?: AbortSignal
): Promise<Found[What]> {
    if (text.length > MOST_CHARACTERS) throw tooComplex();
    const parsing = last.then(() => parse({ what, languageId, text }, signal));
    last = parsing.catch(() => {});
    return (await parsing) as Found[What];
}

async function parse(request: ParseRequest, signal?: AbortSignal): Promise<Found[keyof Found]> {
    signal?.throwIfAborted();
    const thread = (worker ??= await start());
    thread.ref();
    try {
        // Load the grammar first, so that a slow load on a busy machine is not blamed on the text.
        await ask(thread, { ...request, text: emptied(request) }, LOADING_MS, signal);
        const limitMs = LEAST_LIMIT_MS + request.text.length / CHARACTERS_PER_MS;
        const answer = await ask(thread, request, limitMs, signal);
        if (answer.kind === "too-complex") throw tooComplex();
        return answer.found;
    } catch (error) {
        worker = undefined;
        void thread.terminate();
        throw reasonOf(error);
    } finally {
        // An idle worker must not keep the process alive.
        thread.unref();
    }
}

/** A text without content that makes the parser load every grammar the real one needs. */
function emptied({ languageId, text }: ParseRequest): string {
    if (languageOfId(languageId)?.reader.kind !== "markup") return "";
    const tags = text.matchAll(/<(style|script)\b[^<>]{0,200}>/gi);
    const elements = new Set(Array.from(tags, ([tag, name]) => `${tag}</${name}>`));
    return [...elements].slice(0, MOST_EMBEDDED).join("");
}

function ask(
    thread: Worker,
    request: ParseRequest,
    limitMs: number,
    signal?: AbortSignal
): Promise<ParseAnswer> {
    const answer = async (ended: AbortSignal): Promise<ParseAnswer> => {
        const answered = once(thread, "message", { signal: ended });
        thread.postMessage(request);
        const [value] = await answered;
        return value;
    };
    return withTimeLimit(limitMs, answer, { signal, reason: tooComplex });
}

async function start(): Promise<Worker> {
    // The build keeps both files side by side, as here.
    const file = new URL(`./parse-worker${extname(import.meta.url)}`, import.meta.url);
    const thread = new Worker(file, { env: {} });
    await once(thread, "message");
    thread.on("error", () => {});
    return thread;
}

function reasonOf(error: unknown): unknown {
    if (!(error instanceof Error)) return error;
    // The `AbortError` of `once` wraps the reason.
    if (error.name === "AbortError") return error.cause;
    // A grammar ran out of memory.
    return error.name === "RuntimeError" ? tooComplex() : error;
}
