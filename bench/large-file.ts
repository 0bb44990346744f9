import { readFileSync } from "node:fs";
import { byOutline, byReading, editLargeFile, largeFile } from "../test/e2e/large-file.js";
import { resultsIn } from "../test/e2e/requests.js";
import { Workplace } from "../test/helpers/north-program.js";
import {
    reply,
    startMessagesServer,
    text,
    toolUse,
} from "../test/helpers/vendors/messages-server.js";
import { peakMemory, type BenchRow } from "./measure.js";

/** The cost of four edits of a large file by outline, compared to reading it first. */
export async function largeFileRows(): Promise<BenchRow[]> {
    const outlined = await measured(byOutline);
    const read = await measured(byReading);
    return [
        // New bytes only: each request extends the previous one, which is read from the cache.
        row("bytes of the last request", outlined.last, read.last, 0.5),
        row("bytes of all requests", outlined.all, read.all, 0.6),
        await editOfManyBytes(),
    ];
}

const MANY_BYTES = 60_000_000;

/** Peak memory when editing one line of a very large file. */
async function editOfManyBytes(): Promise<BenchRow> {
    const line = "a line of a large file, and nothing more than that\n";
    const half = line.repeat(MANY_BYTES / 2 / line.length);
    const place = new Workplace({ "large.txt": `${half}the only one\n${half}` });
    let megabytes = Number.NaN;
    const edit = { path: "large.txt", old: "the only one", new: "the new one" };
    const server = await startMessagesServer({
        script: ({ body }) => {
            if (resultsIn(body).edit === undefined) {
                return reply(toolUse("edit", "edit_replace_exact", edit));
            }
            megabytes = peakMemory(program.pid);
            return reply(text("Done."));
        },
    });
    const env = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url };
    const program = place.start(["-p", "Edit it.", "--accept-edits"], { env });
    try {
        const { stderr } = await program.ended;
        if (readFileSync(place.place("large.txt"), "utf8") !== `${half}the new one\n${half}`) {
            throw new Error(`The edit is wrong: ${stderr}`);
        }
    } finally {
        await server.close();
        await place.remove();
    }
    return {
        what: "most memory held for an edit of 60 MB",
        value: `${megabytes.toFixed(0)} MB`,
        bound: "512 MB",
        ok: megabytes <= 512,
    };
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
