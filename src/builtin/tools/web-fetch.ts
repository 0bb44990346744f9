import * as Type from "typebox";
import { formatBytes } from "../../base/format.js";
import { untilAborted, withTimeLimit } from "../../base/waiting.js";
import type { AskTool, ToolResult } from "../../plugin/index.js";
import { NorthError } from "../../base/north-error.js";
import {
    type AddressPolicy,
    isPublicAddress,
    type ResolveHost,
} from "../../base/public-address.js";
import { prefixWithin } from "../../code/text/line-window.js";
import { strictObject } from "./read-only-tool.js";
import { failure, success } from "./results.js";
import type { FetchedPage } from "./web/fetch-page.js";
import { checkLiteralAddress, hostOf, parseTarget } from "./web/web-target.js";

const inputSchema = strictObject({ url: Type.String({ minLength: 1, maxLength: 8000 }) });

interface WebFetchData extends Omit<
    Extract<FetchedPage, { readonly kind: "page" }>,
    "kind" | "url" | "isCut"
> {
    /** The final URL, after redirects. */
    readonly url: string;
    readonly truncated: boolean;
}

export interface WebFetchOptions {
    readonly isPublicAddress?: AddressPolicy;
    readonly resolveHost?: ResolveHost;
    readonly timeoutMs?: number;
    /** Max size of the page after decompression. */
    readonly maxPageBytes?: number;
    /** Max size of the text sent to the model. */
    readonly maxTextBytes?: number;
}

const DEFAULTS = {
    isPublicAddress,
    timeoutMs: 30_000,
    maxPageBytes: 5 * 1024 * 1024,
    maxTextBytes: 50 * 1024,
};

export function createWebFetch(
    options: WebFetchOptions = {}
): AskTool<Type.Static<typeof inputSchema>, WebFetchData> {
    const settings = { ...DEFAULTS, ...options };
    return {
        name: "web_fetch",
        description: "Fetch a public http(s) page as text. The user is asked once for each host.",
        approval: "ask",
        readOnly: true,
        fromOutside: true,
        kind: "fetch",
        inputSchema,
        equivalents: ({ url }) => [{ tool: "WebFetch", input: { url } }],
        intent: (input) => `Fetching ${input.url}`,
        summary: (data) =>
            `${data.status}, ${formatBytes(Buffer.byteLength(data.text))}${data.truncated ? "+" : ""}`,
        question(input) {
            const url = parseTarget(input.url);
            // Do not ask about a URL that would be refused anyway.
            checkLiteralAddress(url, settings.isPublicAddress);
            return { sentence: `Fetch ${url.href} from the web?`, key: `host:${hostOf(url)}` };
        },
        async execute(input, { signal }) {
            const { fetchPage } = await import("./web/fetch-page.js");
            const url = parseTarget(input.url);
            const sentence = `${url.host} took more than ${settings.timeoutMs / 1000} s.`;
            const fetching = (limit: AbortSignal) =>
                fetchPage(url, { ...settings, maxBytes: settings.maxPageBytes, signal: limit });
            const page = await withTimeLimit(
                settings.timeoutMs,
                (limit) => untilAborted(fetching(limit), limit),
                {
                    signal,
                    reason: () =>
                        new NorthError("timeout", sentence, [
                            "Try again later, or fetch another page.",
                        ]),
                }
            );
            return resultOf(page, settings.maxTextBytes);
        },
    };
}

export const webFetch = createWebFetch();

function resultOf(page: FetchedPage, maxTextBytes: number): ToolResult<WebFetchData> {
    if (page.kind === "elsewhere") {
        return failure(
            "redirected",
            `The page moved to another host: ${page.url.href}`,
            "Call web_fetch with that URL, so that the user is asked about its host."
        );
    }
    const text = prefixWithin(page.text, maxTextBytes);
    return success({
        url: page.url.href,
        status: page.status,
        contentType: page.contentType,
        ...(page.title === undefined ? {} : { title: page.title }),
        text,
        truncated: page.isCut || text.length < page.text.length,
    });
}
