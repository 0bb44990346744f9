import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createInflate, createUnzip } from "node:zlib";
import { NorthError } from "../../../base/north-error.js";

/** The whole body, decompressed. Rejects with `too-large` as soon as it is more than `maxBytes`. */
export async function readBody(
    response: IncomingMessage,
    maxBytes: number,
    signal: AbortSignal
): Promise<Buffer> {
    const declared = Number(response.headers["content-length"] ?? 0);
    if (declared > maxBytes) {
        response.destroy();
        throw tooLarge(`${declared} bytes`, maxBytes);
    }
    const chunks: Buffer[] = [];
    let size = 0;
    const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
        for await (const chunk of source) {
            size += chunk.length;
            // Counted after decompression: a small body can unfold to any size.
            if (size > maxBytes) throw tooLarge(`more than ${maxBytes} bytes`, maxBytes);
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
            throw new NorthError("unsupported-type", `The page is encoded as ${encoding}.`);
    }
}

function tooLarge(size: string, maxBytes: number): NorthError {
    return new NorthError("too-large", `The page is ${size}; at most ${maxBytes} are fetched.`);
}
