import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { spawn } from "node:child_process";
import { TaskCrowd } from "../test/e2e/task-crowd.js";
import {
    type BenchRow,
    ended,
    median,
    peakMemory,
    processorTimeOfAll,
    program,
} from "./measure.js";

const TASKS = Number(process.env.NORTH_BENCH_TASKS ?? 500);
const JOBS = 8;
/** Mean time between two kills. */
const KILL_MS = 1_000;
const SAMPLE_MS = 500;
/** The process itself, not a shell or engine that names it. */
const IS_TASK = /^\d+ \S*node \S*run\.js (?:chat --print|-p) /;

interface Results {
    readonly killed: number;
    readonly results: string;
    /** Its processes are no children of this one, so their CPU time is unknown. */
    readonly isElsewhere?: true;
}

/**
 * 500 tasks over one checkout: by `north -p` and `north run` undisturbed, then killed at random
 * moments through `north run`, GNU parallel and SLURM.
 */
export async function* manyHandsRows(): AsyncGenerator<BenchRow> {
    yield await crowdRow("north -p, 8 at a time", async (crowd) => {
        const ids = crowd.ids().values();
        const lines: string[] = [];
        const workers = Array.from({ length: JOBS }, async () => {
            for (const id of ids) {
                const words = ["-p", "--mode", "draft", "--output-format", "json", `Do ${id} now`];
                lines.push((await crowd.place.start(words).ended).stdout);
            }
        });
        await Promise.all(workers);
        return { killed: 0, results: crowd.withIds(lines.join("")) };
    });
    yield await crowdRow("north run --jobs 8", (crowd) => runTasks(crowd, false));
    yield await crowdRow("north run --jobs 8", (crowd) => runTasks(crowd, true));
    if (await isThere("parallel", ["--version"])) {
        yield await crowdRow("GNU parallel with --once", async (crowd) => {
            const words = ["--jobs", String(JOBS), "--retries", "9", onceCommand("{}")];
            const child = start(crowd, "parallel", [...words, "::::", idsFile(crowd)]);
            const lines: string[] = [];
            child.stdout.on("data", (chunk: Buffer) => lines.push(chunk.toString()));
            const killed = await crowd.killTasks(ended(child), KILL_MS);
            return { killed, results: crowd.withIds(lines.join("")) };
        });
    }
    // Succeeds only where a cluster answers.
    if (await isThere("sinfo", [])) {
        yield await crowdRow("A SLURM array with --once", async (crowd) => {
            const script = path.join(crowd.place.folder, "task.sh");
            const results = path.join(crowd.place.folder, "results");
            mkdirSync(results);
            writeFileSync(script, slurmScript(idsFile(crowd), results));
            const array = `--array=1-${TASKS}%${JOBS}`;
            const child = start(crowd, "sbatch", ["--wait", "--output=/dev/null", array, script]);
            const killed = await crowd.killTasks(ended(child), KILL_MS);
            const lines = readdirSync(results).map((name) =>
                readFileSync(path.join(results, name), "utf8")
            );
            return { killed, results: crowd.withIds(lines.join("")), isElsewhere: true };
        });
    }
}

async function runTasks(crowd: TaskCrowd, kills: boolean): Promise<Results> {
    const running = crowd.place.start(["run", crowd.file, "--jobs", String(JOBS)]);
    const killed = kills ? await crowd.killTasks(running.ended, KILL_MS) : 0;
    const { code, stdout, stderr } = await running.ended;
    if (code !== 0) throw new Error(stderr + stdout);
    return { killed, results: stdout };
}

function isThere(command: string, words: readonly string[]): Promise<boolean> {
    return ended(spawn(command, words, { stdio: "ignore" })).then(
        (code) => code === 0,
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

async function crowdRow(
    what: string,
    work: (crowd: TaskCrowd) => Promise<Results>
): Promise<BenchRow> {
    const crowd = new TaskCrowd(TASKS);
    const peaks = new Map<number, number>();
    const timer = setInterval(() => notePeaks(crowd, peaks), SAMPLE_MS);
    try {
        await crowd.serve();
        const before = processorTimeOfAll();
        const { killed, results, isElsewhere = false } = await work(crowd);
        const perTask = ((processorTimeOfAll() - before) / TASKS).toFixed(0);
        crowd.expectPaidOnce(results);
        const memory = `${median([...peaks.values()]).toFixed(0)} MB`;
        return {
            what: `${what}: ${TASKS} tasks, ${killed} killed, each paid once`,
            value: isElsewhere ? memory : `${perTask} ms CPU, ${memory}`,
            bound: "exact",
            ok: true,
        };
    } finally {
        clearInterval(timer);
        await crowd.close();
    }
}

/** Notes the highest memory so far of each task that runs. */
function notePeaks(crowd: TaskCrowd, peaks: Map<number, number>): void {
    for (const line of crowd.place.processes()) {
        if (!IS_TASK.test(line)) continue;
        const pid = Number.parseInt(line, 10);
        try {
            const peak = peakMemory(pid);
            if (!Number.isNaN(peak)) peaks.set(pid, peak);
        } catch {
            // It has just ended.
        }
    }
}
