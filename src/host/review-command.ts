import { text as readAll } from "node:stream/consumers";
import { NorthError } from "../base/north-error.js";
import type { Review } from "../plugin/review.js";
import { stopOnSignals } from "./command-line/stop-on-signals.js";
import { type ConversationRun, noRealModel, openSession } from "./session/open-session.js";

const MAX_PATCH_BYTES = 16 * 1024 * 1024;

interface ReviewCommandOptions extends Pick<
    ConversationRun,
    "config" | "directories" | "environment"
> {
    readonly path: string | undefined;
    readonly model: string | undefined;
    readonly maxCostUsd: number | undefined;
    /** As typed: a branch, a commit, a range or `-`. */
    readonly target: string | undefined;
    progress(text: string): void;
    tell(text: string): void;
}

/** Exit codes: 3 and 4 cannot be mistaken for a failure (1) or a wrong command line (2). */
const EXIT_CODES = { error: 4, warning: 3, note: 0 } as const;

/** Reviews changes outside the chat. Rejects like `reviewChanges`. */
export async function reviewOutsideChat(
    options: ReviewCommandOptions
): Promise<{ readonly review: Review; readonly exitCode: number }> {
    const { config, directories, environment, path, model, target, maxCostUsd } = options;
    const { progress, tell } = options;
    const patch = target === "-" ? await patchFromStdin() : undefined;
    const flags = {
        ...({ print: true, "output-format": "text", mode: "ask", path, model } as const),
        ...({ "log-level": "info", "accept-edits": false, "approve-shell": false } as const),
    };
    const run = { flags, config, directories, environment };
    const { session, notices } = await openSession(run, noRealModel);
    const stopper = stopOnSignals();
    try {
        for (const notice of notices) tell(notice);
        await stopper.watch();
        const { signal } = stopper;
        const limits = { patch, ...(maxCostUsd && { maxCostUsd }) };
        const asked = { ...limits, signal, progress, tell };
        const { suggestions: _, ...review } = await session.services.project.review(target, asked);
        return { review, exitCode: stopper.exitCode() ?? exitCodeFor(review) };
    } finally {
        await session.close();
        await stopper.dispose();
    }
}

function exitCodeFor({ problem, findings }: Review): number {
    if (problem !== undefined) return 1;
    return Math.max(0, ...findings.map(({ severity }) => EXIT_CODES[severity]));
}

async function patchFromStdin(): Promise<string> {
    if (process.stdin.isTTY) {
        throw new NorthError("invalid-usage", "There is no patch on standard input.", [
            "Pipe one in: `git diff | north review -`.",
        ]);
    }
    const patch = await readAll(process.stdin);
    if (patch.length <= MAX_PATCH_BYTES) return patch;
    throw new NorthError("too-large", "The patch is larger than 16 MB.");
}
