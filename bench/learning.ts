import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
    reply,
    startMessagesServer,
    text,
    toolUse,
} from "../test/helpers/vendors/messages-server.js";
import type { VendorCounts } from "../test/helpers/vendors/messages-replies.js";
import { cleanEnvironment, ended, program, root, type BenchRow } from "./measure.js";

const TOPICS = 10;
/** One round with a tool, and the answer. */
const REQUESTS_PER_TOPIC = 2;

/** Input cost of all topics relative to the first, whose prefix is not cached yet. */
export async function learningRows(): Promise<BenchRow[]> {
    const counts = await learn();
    if (counts.length !== TOPICS * REQUESTS_PER_TOPIC) {
        throw new Error(`Learning took ${counts.length} requests`);
    }

    const one = inputCost(counts.slice(0, REQUESTS_PER_TOPIC));
    const ratio = inputCost(counts) / one;
    return [
        {
            what: "learning ten topics, to one (input, a round of tools each)",
            value: `${ratio.toFixed(2)} x`,
            bound: "3.5 x",
            ok: ratio <= 3.5,
        },
    ];
}

/** In tokens at full price: cache writes cost 1.25, reads 0.1. */
function inputCost(counts: readonly VendorCounts[]): number {
    return counts.reduce(
        (sum, each) =>
            sum +
            each.input_tokens +
            1.25 * each.cache_creation_input_tokens +
            0.1 * each.cache_read_input_tokens,
        0
    );
}

async function learn(): Promise<readonly VendorCounts[]> {
    const home = mkdtempSync(path.join(tmpdir(), "north-bench-"));
    for (const [from, to] of [
        ["README.md", "README.md"],
        ["CONTRIBUTING.md", "AGENTS.md"],
    ] as const) {
        copyFileSync(path.join(root, from), path.join(home, to));
    }

    const range = { start: 1, end: 16 };
    const script = Array.from({ length: TOPICS }, (_, topic) => [
        reply(toolUse(`call_${topic}`, "read_file", { path: "README.md", range })),
        reply(text("- `README.md` says what it is.\n".repeat(20))),
    ]).flat();
    const server = await startMessagesServer({ simulateCache: true, script });
    try {
        const child = spawn(process.execPath, [program, "learn"], {
            cwd: home,
            env: cleanEnvironment(home, {
                ANTHROPIC_API_KEY: "sk-bench",
                ANTHROPIC_BASE_URL: server.url,
            }),
            stdio: ["ignore", "ignore", "inherit"],
        });
        if ((await ended(child)) !== 0) throw new Error("The program failed");
        server.assertDone();
        return server.counts;
    } finally {
        await server.close();
        rmSync(home, { recursive: true, force: true });
    }
}
