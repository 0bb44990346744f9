import { byOutline, byReading, editLargeFile, largeFile } from "../test/e2e/large-file.js";
import { Workplace } from "../test/helpers/north-program.js";
import type { BenchRow } from "./measure.js";

/** What four edits of a large file cost by its outline, beside the same edits after reading it. */
export async function largeFileRows(): Promise<BenchRow[]> {
    const outlined = await measured(byOutline);
    const read = await measured(byReading);
    return [
        // What is sent anew: each request extends the one before, which is read from the cache.
        row("bytes of the last request", outlined.last, read.last, 0.5),
        row("bytes of all requests", outlined.all, read.all, 0.6),
    ];
}

async function measured(model: typeof byOutline): Promise<{ all: number; last: number }> {
    const place = new Workplace();
    try {
        const { content, sent, end } = await editLargeFile(place, model);
        if (content !== largeFile(true)) throw new Error(`The edits are wrong: ${end.stderr}`);
        return { all: sent.reduce((sum, each) => sum + each, 0), last: sent.at(-1) ?? 0 };
    } finally {
        await place.remove();
    }
}

function row(what: string, outlined: number, read: number, share: number): BenchRow {
    const [some, whole] = [outlined, read].map((bytes) => bytes.toLocaleString("en"));
    return {
        what: `4 edits of 3,000 lines by outline, ${what}`,
        value: `${some} to ${whole} read whole`,
        bound: `${share} x`,
        ok: outlined <= share * read,
    };
}
