import { writeFileSync } from "node:fs";
import path from "node:path";
import { spawn } from "node:child_process";
import { TaskCrowd } from "../test/e2e/task-crowd.js";
import { type BenchRow, ended, processorTimeOfAll, program, wallTime } from "./measure.js";

const TASKS = Number(process.env.NORTH_BENCH_TASKS ?? 500);
const JOBS = "8";

/** 500 tasks over one checkout, killed at random moments, through `north run` and GNU parallel. */
export async function* manyHandsRows(): AsyncGenerator<BenchRow> {
    yield await killedRow("north run --jobs 8", async (crowd) => {
        const running = crowd.place.start(["run", crowd.file, "--jobs", JOBS]);
        const killed = await crowd.killTasks(running.ended, 1_000);
        const { code, stdout, stderr } = await running.ended;
        if (code !== 0) throw new Error(stderr + stdout);
        return { killed, results: stdout };
    });
    if ((await wallTime("parallel", ["--version"]).catch(() => undefined)) === undefined) return;
    yield await killedRow("GNU parallel with --once", async (crowd) => {
        const command = `${process.execPath} ${program} -p --mode draft --output-format json --once {} 'Do {} now'`;
        const ids = path.join(crowd.place.folder, "ids");
        writeFileSync(ids, `${crowd.ids().join("\n")}\n`);
        const words = ["--jobs", JOBS, "--retries", "9", command];
        const child = spawn("parallel", [...words, "::::", ids], {
            cwd: crowd.place.repository,
            env: crowd.place.environment(),
            stdio: ["ignore", "pipe", "inherit"],
        });
        const lines: string[] = [];
        child.stdout.on("data", (chunk: Buffer) => lines.push(chunk.toString()));
        const killed = await crowd.killTasks(ended(child), 1_000);
        return { killed, results: crowd.withIds(lines.join("")) };
    });
}

async function killedRow(
    what: string,
    work: (crowd: TaskCrowd) => Promise<{ killed: number; results: string }>
): Promise<BenchRow> {
    const crowd = new TaskCrowd(TASKS);
    try {
        await crowd.serve();
        const before = processorTimeOfAll();
        const { killed, results } = await work(crowd);
        const perTask = (processorTimeOfAll() - before) / TASKS;
        crowd.expectPaidOnce(results);
        return {
            what: `${what}: ${TASKS} tasks, ${killed} killed, each paid once`,
            value: `${perTask.toFixed(0)} ms CPU a task`,
            bound: "exact",
            ok: true,
        };
    } finally {
        await crowd.close();
    }
}
