import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { spawn } from "node:child_process";
import { TaskCrowd } from "../test/e2e/task-crowd.js";
import { type BenchRow, ended, processorTimeOfAll, program, wallTime } from "./measure.js";

const TASKS = Number(process.env.NORTH_BENCH_TASKS ?? 500);
const JOBS = "8";

/** 500 tasks over one checkout, killed at random moments, through `north run`, GNU parallel and SLURM. */
export async function* manyHandsRows(): AsyncGenerator<BenchRow> {
    yield await killedRow("north run --jobs 8", async (crowd) => {
        const running = crowd.place.start(["run", crowd.file, "--jobs", JOBS]);
        const killed = await crowd.killTasks(running.ended, 1_000);
        const { code, stdout, stderr } = await running.ended;
        if (code !== 0) throw new Error(stderr + stdout);
        return { killed, results: stdout };
    });
    if (await isThere("parallel", ["--version"])) {
        yield await killedRow("GNU parallel with --once", async (crowd) => {
            const words = ["--jobs", JOBS, "--retries", "9", onceCommand("{}")];
            const child = start(crowd, "parallel", [...words, "::::", idsFile(crowd)]);
            const lines: string[] = [];
            child.stdout.on("data", (chunk: Buffer) => lines.push(chunk.toString()));
            const killed = await crowd.killTasks(ended(child), 1_000);
            return { killed, results: crowd.withIds(lines.join("")) };
        });
    }
    // Succeeds only where a cluster answers.
    if (await isThere("sinfo", [])) {
        yield await killedRow("A SLURM array with --once", async (crowd) => {
            const script = path.join(crowd.place.folder, "task.sh");
            const results = path.join(crowd.place.folder, "results");
            mkdirSync(results);
            writeFileSync(script, slurmScript(idsFile(crowd), results));
            const array = `--array=1-${TASKS}%${JOBS}`;
            const child = start(crowd, "sbatch", ["--wait", "--output=/dev/null", array, script]);
            const killed = await crowd.killTasks(ended(child), 1_000);
            const lines = readdirSync(results).map((name) =>
                readFileSync(path.join(results, name), "utf8")
            );
            return { killed, results: crowd.withIds(lines.join("")) };
        });
    }
}

function isThere(command: string, words: readonly string[]): Promise<boolean> {
    return wallTime(command, words).then(
        () => true,
        () => false
    );
}

function onceCommand(id: string): string {
    return `${process.execPath} ${program} -p --mode draft --output-format json --once ${id} "Do ${id} now"`;
}

function idsFile(crowd: TaskCrowd): string {
    const file = path.join(crowd.place.folder, "ids");
    writeFileSync(file, `${crowd.ids().join("\n")}\n`);
    return file;
}

/** Tries again, as SLURM does by itself only if the whole node fails. */
function slurmScript(ids: string, results: string): string {
    return `#!/bin/bash
id=$(sed -n "\${SLURM_ARRAY_TASK_ID}p" ${ids})
for attempt in 1 2 3 4; do
    ${onceCommand("$id")} > ${results}/$id.json && exit
    sleep 1
done
exit 1
`;
}

function start(crowd: TaskCrowd, command: string, words: readonly string[]) {
    return spawn(command, words, {
        cwd: crowd.place.repository,
        env: { ...crowd.place.environment(), SLURM_CONF: process.env.SLURM_CONF },
        stdio: ["ignore", "pipe", "inherit"],
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
