import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createInflate, createUnzip } from "node:zlib";
import { attempt } from "../../../base/attempt.js";
import { wideEncoding } from "../../../base/binary.js";
import { formatBytes } from "../../../base/format.js";
import { NorthError } from "../../../base/north-error.js";
import { parseUrl } from "../../../base/parse-url.js";
import { htmlToText } from "./html-text.js";
import { asExpected, requestPage, type RequestPageOptions } from "./request-page.js";
import { hostOf, parseTarget } from "./web-target.js";
import { MIMEType } from "node:util";

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

interface FetchPageOptions extends RequestPageOptions {
    readonly maxBytes: number;
}

export type FetchedPage =
    | {
          readonly kind: "page";
          /** The final URL, after redirects. */
          readonly url: URL;
          readonly status: number;
          readonly contentType: string;
          readonly title?: string;
          readonly text: string;
          readonly isCut: boolean;
      }
    /** It redirects to a host the user was not asked about. */
    | { readonly kind: "elsewhere"; readonly url: URL };

export async function fetchPage(start: URL, options: FetchPageOptions): Promise<FetchedPage> {
    let url = start;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const response = await requestPage(url, options);
        const target = redirectTarget(url, response);
        if (target === undefined) return readPage(url, response, options);
        response.destroy();
        if (hostOf(target) !== hostOf(url)) return { kind: "elsewhere", url: target };
        url = target;
    }
    throw new NorthError(
        "too-many-redirects",
        `${start.host} redirected more than ${MAX_REDIRECTS} times.`,
        ["Fetch the page under its final URL, or another page."]
    );
}

function redirectTarget(url: URL, response: IncomingMessage): URL | undefined {
    const { location } = response.headers;
    if (location === undefined || !REDIRECTS.has(response.statusCode ?? 0)) return undefined;
    // Check an absolute target as written, before the URL parser normalizes it.
    const isAbsolute = /^[a-z][a-z0-9+.-]*:/i.test(location);
    const target = isAbsolute ? undefined : parseUrl(location, url);
    return parseTarget(target?.href ?? location);
}

async function readPage(
    url: URL,
    response: IncomingMessage,
    { maxBytes, signal }: FetchPageOptions
): Promise<FetchedPage> {
    const { type, bytes } = await load(url, response, maxBytes, signal);
    const text = decodePage(bytes, type);
    const page = isHtml(type)
        ? await htmlToText(text, url, signal)
        : { text: text.replaceAll("\r\n", "\n"), isCut: false };
    return {
        kind: "page",
        url,
        status: response.statusCode ?? 0,
        contentType: type.essence,
        ...page,
    };
}

async function load(
    url: URL,
    response: IncomingMessage,
    maxBytes: number,
    signal: AbortSignal
): Promise<{ readonly type: PageType; readonly bytes: Uint8Array }> {
    try {
        const type = pageType(response.headers);
        return { type, bytes: await readBody(response, maxBytes, signal) };
    } catch (error) {
        // Stop receiving a rejected page.
        response.destroy();
        throw asExpected(url, error);
    }
}

/** Reads and decompresses the body. Rejects with `too-large` as soon as it exceeds `maxBytes`. */
async function readBody(
    response: IncomingMessage,
    maxBytes: number,
    signal: AbortSignal
): Promise<Buffer> {
    const declared = Number(response.headers["content-length"] ?? 0);
    if (declared > maxBytes) {
        response.destroy();
        throw tooLarge(formatBytes(Number(declared)), maxBytes);
    }
    const chunks: Buffer[] = [];
    let size = 0;
    const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
        for await (const chunk of source) {
            size += chunk.length;
            // Counted after decompression, because of zip bombs.
            if (size > maxBytes) throw tooLarge(`more than ${formatBytes(maxBytes)}`, maxBytes);
            chunks.push(chunk);
        }
    };
    const decompressor = decompressorFor(response.headers["content-encoding"]);
    await (decompressor === undefined
        ? pipeline(response, collect, { signal })
        : pipeline(response, decompressor, collect, { signal }));
    return Buffer.concat(chunks);
}

function decompressorFor(encoding = "identity") {
    switch (encoding.trim().toLowerCase()) {
        case "identity":
        case "":
            return undefined;
        case "gzip":
        case "x-gzip":
            return createUnzip();
        case "deflate":
            return createInflate();
        case "br":
            return createBrotliDecompress();
        default:
            throw new NorthError(
                "unsupported-type",
                `The page is compressed as ${encoding}, which North cannot read.`,
                [DOWNLOAD]
            );
    }
}

function tooLarge(size: string, maxBytes: number): NorthError {
    const limit = formatBytes(maxBytes);
    return new NorthError("too-large", `The page is ${size}; the limit is ${limit}.`, [DOWNLOAD]);
}

interface PageType {
    /** `text/html`, without parameters. */
    readonly essence: string;
    readonly charset?: string;
}

/** A charset may be declared within this many bytes. */
const CHARSET_PROBE_BYTES = 1024;
const META_CHARSET = /<meta[^>]+charset\s*=[\s"']*([\w.:-]+)/i;
const XML_ENCODING = /^<\?xml[^>]+encoding\s*=\s*["']([\w.:-]+)["']/i;

/** What to do about a page that cannot be returned as text. */
const DOWNLOAD =
    "Fetch another page, or download this one with a shell command if the user wants it.";

/** Returns the response's type if it is readable as text; throws `unsupported-type` otherwise. */
export function pageType(headers: IncomingMessage["headers"]): PageType {
    const written = headers["content-type"] ?? "text/plain";
    const type = parseType(written);
    if (type === undefined || !isText(type.essence)) {
        const length = headers["content-length"];
        const size = length === undefined ? "of unknown size" : formatBytes(Number(length));
        throw new NorthError("unsupported-type", `This is ${written} (${size}), not text.`, [
            DOWNLOAD,
        ]);
    }
    return type;
}

function isHtml({ essence }: PageType): boolean {
    return essence === "text/html" || essence === "application/xhtml+xml";
}

/** Decodes the body by its byte order mark, header or embedded declaration. */
export function decodePage(bytes: Uint8Array, type: PageType): string {
    const label = markOf(bytes) ?? type.charset ?? declaredCharset(bytes) ?? "utf-8";
    // With an unknown charset, most of it is still readable as UTF-8.
    return attempt(() => new TextDecoder(label).decode(bytes)) ?? new TextDecoder().decode(bytes);
}

function markOf(bytes: Uint8Array): string | undefined {
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
    return wideEncoding(bytes);
}

function declaredCharset(bytes: Uint8Array): string | undefined {
    const head = Buffer.from(bytes.subarray(0, CHARSET_PROBE_BYTES)).toString("latin1");
    const label = (XML_ENCODING.exec(head) ?? META_CHARSET.exec(head))?.[1];
    // A page with a readable ASCII declaration is not UTF-16, whatever it says.
    return label === undefined || /^utf-?16/i.test(label) ? undefined : label;
}

function parseType(written: string): PageType | undefined {
    const type = attempt(() => new MIMEType(written));
    const charset = type?.params.get("charset") ?? undefined;
    return type && { essence: type.essence, charset };
}

function isText(essence: string): boolean {
    return (
        essence.startsWith("text/") ||
        /^application\/(json|xml|javascript|([\w.-]+\+)(json|xml))$/.test(essence)
    );
}
