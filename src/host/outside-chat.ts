import { text as readAll } from "node:stream/consumers";
import { NorthError } from "../base/north-error.js";
import type { SlashProject } from "../plugin/index.js";
import type { Review } from "../plugin/review.js";
import { stopOnSignals } from "./command-line/stop-on-signals.js";
import { noRealModel, openSession } from "./session/open-session.js";
import type { Surroundings } from "./surroundings.js";

const MAX_PATCH_BYTES = 16 * 1024 * 1024;

interface ReadingRun extends Surroundings {
    readonly path: string | undefined;
    readonly model: string | undefined;
    tell(text: string): void;
}

/** Runs work in a session that only reads, until a signal stops it. `stopCode`: if one did. */
async function inSession<Result>(
    { path, model, tell, ...surroundings }: ReadingRun,
    work: (project: SlashProject, signal: AbortSignal) => Promise<Result>
) {
    const flags = {
        ...({ print: true, mode: "ask", path, model } as const),
        ...({ "log-level": "info", "accept-edits": false, "approve-shell": false } as const),
    };
    const { session, notices } = await openSession({ flags, ...surroundings }, noRealModel);
    const stopper = stopOnSignals();
    try {
        for (const notice of notices) tell(notice);
        await stopper.watch();
        const result = await work(session.services.project, stopper.signal);
        return { result, stopCode: stopper.exitCode() };
    } finally {
        await session.close();
        await stopper.dispose();
    }
}

interface LearnRun extends ReadingRun {
    progress(text: string): void;
}

/** Learns a repository. Exit code: 130 if interrupted, 1 if nothing learned. */
export async function learnOutsideChat(run: LearnRun) {
    const { tell } = run;
    const progress = (title: string, percent: number) =>
        run.progress(`${String(percent).padStart(3)}%  ${title}`);
    const { result: learned, stopCode } = await inSession(run, ({ profile }, signal) =>
        profile.learn({ signal, progress, tell })
    );
    return { learned, exitCode: stopCode ?? (learned.learned.length > 0 ? 0 : 1) };
}

interface ReviewRun extends ReadingRun {
    readonly maxCostUsd: number | undefined;
    /** As typed: a branch, a commit, a range or `-`. */
    readonly target: string | undefined;
    progress(text: string): void;
}

/** Exit codes: 3 and 4 cannot be mistaken for a failure (1) or a wrong command line (2). */
const EXIT_CODES = { error: 4, warning: 3, note: 0 } as const;

/** Reviews changes. Rejects like `reviewChanges`. */
export async function reviewOutsideChat({
    target,
    maxCostUsd,
    progress,
    ...run
}: ReviewRun): Promise<{ readonly review: Review; readonly exitCode: number }> {
    const patch = target === "-" ? await patchFromStdin() : undefined;
    const asked = { patch, ...(maxCostUsd && { maxCostUsd }), progress, tell: run.tell };
    const { result, stopCode } = await inSession(run, (project, signal) =>
        project.review(target, { ...asked, signal })
    );
    const { suggestions: _, ...review } = result;
    return { review, exitCode: stopCode ?? exitCodeFor(review) };
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
