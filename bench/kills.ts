import { KilledConversation, WHOLE_JOB } from "../test/e2e/killed-conversation.js";
import { eventually } from "../test/helpers/north-program.js";
import type { BenchRow } from "./measure.js";

const KILLS = 200;
/** Parallel jobs, limited by the spare cores. */
const AT_ONCE = 2;

/** Kills a conversation with reads, edits and a command at random moments, and resumes each. */
export async function killRows(): Promise<BenchRow[]> {
    // Calibrate under full load.
    const durations = await Promise.all(Array.from({ length: AT_ONCE }, durationOfJob));
    const longest = Math.max(...durations);
    const results = { unbegun: 0, resumed: 0, undone: 0, failed: 0 };
    const killOn = async () => {
        while (results.resumed + results.failed < KILLS) {
            // Covers all stages equally: before the first request, and after each.
            const request = Math.floor(Math.random() * (WHOLE_JOB.length + 1));
            const moment = (Math.random() * longest) / 2;
            try {
                for (const what of await killAt(request, moment)) results[what] += 1;
            } catch (error) {
                results.failed += 1;
                const when = `${moment.toFixed(0)} ms after request ${request}`;
                process.stderr.write(`killed ${when}: ${String(error)}\n`);
            }
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, killOn));
    const { unbegun, resumed, undone, failed } = results;
    const value = `${resumed} resumed, ${undone} undone`;
    const what = `kills at random moments, and ${unbegun} before anything was said`;
    return [{ what, value, bound: `${KILLS} resumed`, ok: failed === 0 }];
}

/** Milliseconds from the first request until the endless last answer starts. */
async function durationOfJob(): Promise<number> {
    const conversation = new KilledConversation();
    let begin = 0;
    try {
        const server = await conversation.serve(WHOLE_JOB, (count) => {
            if (count === 1) begin = performance.now();
        });
        const program = conversation.start(server, "-p", "Work");
        await eventually(() => server.requests.length === WHOLE_JOB.length, "the last request");
        program.kill("SIGKILL");
        await program.ended;
        return performance.now() - begin;
    } finally {
        await conversation.close();
    }
}

async function killAt(
    request: number,
    moment: number
): Promise<("unbegun" | "resumed" | "undone")[]> {
    const conversation = new KilledConversation();
    try {
        const kill = () => setTimeout(() => program.kill("SIGKILL"), moment);
        const server = await conversation.serve(WHOLE_JOB, (count) => {
            if (count === request) kill();
        });
        const program = conversation.start(server, "-p", "Work");
        if (request === 0) kill();
        await conversation.expectKilled(program);
        if (!conversation.hasBegun()) {
            await conversation.expectNothingLeft();
            return ["unbegun"];
        }
        await conversation.expectToGoOn();
        return (await conversation.undoIfEdited()) ? ["resumed", "undone"] : ["resumed"];
    } finally {
        await conversation.close();
    }
}
