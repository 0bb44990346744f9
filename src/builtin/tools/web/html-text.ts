import { setImmediate as nextTick } from "node:timers/promises";
import { PageReader } from "./page-reader.js";

export interface ReadablePage {
    readonly title?: string;
    readonly text: string;
    /** The page was too deeply nested to be read to its end. */
    readonly isCut: boolean;
}

/** Parsed in slices, so that a hostile page cannot hold up a cancel. */
const SLICE = 32 * 1024;

/**
 * Turns HTML into readable text with the marks of Markdown. Written on a streaming parser because
 * the libraries for this build a tree: a page of 15 KB of nested lists overflows their stack, and
 * one of 5 MB keeps the process busy for 20 seconds.
 */
export async function htmlToText(
    html: string,
    base: URL,
    signal: AbortSignal
): Promise<ReadablePage> {
    const inMain = await read(html, base, signal, true);
    return inMain.text === "" ? read(html, base, signal, false) : inMain;
}

async function read(
    html: string,
    base: URL,
    signal: AbortSignal,
    prefersMain: boolean
): Promise<ReadablePage> {
    const { Parser } = await import("htmlparser2");
    const reader = new PageReader(base, prefersMain);
    const parser = new Parser(reader);
    for (let start = 0; start < html.length && !reader.isTooDeep; start += SLICE) {
        signal.throwIfAborted();
        parser.write(html.slice(start, start + SLICE));
        await nextTick();
    }
    if (!reader.isTooDeep) parser.end();
    const { title, text, isTooDeep } = reader;
    return { ...(title === "" ? {} : { title }), text, isCut: isTooDeep };
}
