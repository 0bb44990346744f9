import type { IncomingMessage } from "node:http";
import { MIMEType } from "node:util";
import { formatBytes } from "../../../base/format.js";
import { NorthError } from "../../../base/north-error.js";

export interface PageType {
    /** `text/html`, without parameters. */
    readonly essence: string;
    readonly charset?: string;
}

/** A charset may be declared within this many bytes. */
const CHARSET_PROBE_BYTES = 1024;
const META_CHARSET = /<meta[^>]+charset\s*=[\s"']*([\w.:-]+)/i;
const XML_ENCODING = /^<\?xml[^>]+encoding\s*=\s*["']([\w.:-]+)["']/i;

/** What to do about a page that cannot be returned as text. */
export const DOWNLOAD =
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

/** HTML or XHTML. */
export function isHtml({ essence }: PageType): boolean {
    return essence === "text/html" || essence === "application/xhtml+xml";
}

/** Decodes the body by its byte order mark, header or embedded declaration. */
export function decodePage(bytes: Uint8Array, type: PageType): string {
    const label = markOf(bytes) ?? type.charset ?? declaredCharset(bytes) ?? "utf-8";
    try {
        return new TextDecoder(label).decode(bytes);
    } catch {
        // Unknown charset: most of it is still readable as UTF-8.
        return new TextDecoder("utf-8").decode(bytes);
    }
}

function markOf(bytes: Uint8Array): string | undefined {
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
    return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
}

function declaredCharset(bytes: Uint8Array): string | undefined {
    const head = Buffer.from(bytes.subarray(0, CHARSET_PROBE_BYTES)).toString("latin1");
    const label = (XML_ENCODING.exec(head) ?? META_CHARSET.exec(head))?.[1];
    // A page with a readable ASCII declaration is not UTF-16, whatever it says.
    return label === undefined || /^utf-?16/i.test(label) ? undefined : label;
}

function parseType(written: string): PageType | undefined {
    try {
        const { essence, params } = new MIMEType(written);
        const charset = params.get("charset");
        return charset === null ? { essence } : { essence, charset };
    } catch {
        return undefined;
    }
}

function isText(essence: string): boolean {
    return (
        essence.startsWith("text/") ||
        /^application\/(json|xml|javascript|([\w.-]+\+)(json|xml))$/.test(essence)
    );
}
