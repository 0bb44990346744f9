import { availableParallelism } from "node:os";
import { readFile } from "node:fs/promises";
import { text as readStream } from "node:stream/consumers";
import { NorthError } from "../base/north-error.js";
import { systemErrorText } from "../base/system-error.js";
import { withSpinner } from "../chat/terminal/spinner.js";
import { BaseCommand } from "../host/command-line/base-command.js";
import { typedArgument } from "../host/command-line/flags.js";
import { unlessStopped } from "../host/command-line/stop-on-signals.js";
import {
    endSentence,
    exitCodeOfTasks,
    failureText,
    progressLine,
    resultLine,
} from "../host/tasks/report.js";
import { runTasks } from "../host/tasks/run-tasks.js";
import { taskFlags } from "../host/tasks/task-flags.js";
import { readTasks } from "../host/tasks/task-list.js";

export default class Run extends BaseCommand {
    static override summary = "Run many tasks, each in a draft of its own.";
    static override enableJsonFlag = false;
    static override description =
        "Reads one task per line, {id, prompt} or SWE-bench's {instance_id, problem_statement, base_commit}, and writes " +
        "one JSON line per result. Nothing is written to the project. Started again, it resumes: finished tasks answer from their logs.";
    static override examples = [
        "north run tasks.jsonl --jobs 8 --max-cost 20 > results.jsonl",
        "north run tasks.jsonl --until 'npm test' --model sonnet",
        "north run instances.jsonl --predictions > predictions.jsonl",
    ];
    static override args = {
        tasks: typedArgument({ required: true, description: "File of tasks; - is stdin." }),
    };
    static override flags = taskFlags;

    async run(): Promise<void> {
        const { args, flags: given } = await this.parse(Run);
        const { jobs, predictions, path, ...others } = given;
        const { "max-cost": maxCostUsd, "max-cost-each": each, "key-prefix": prefix } = others;
        const { "max-cost": _, "max-cost-each": __, "key-prefix": ___, ...flags } = others;
        const tasks = readTasks(await contentOf(args.tasks));
        const { stdout } = process;
        const told = new Set<string>();
        await unlessStopped(async (signal) => {
            const end = await withSpinner("Running", (activity) =>
                runTasks({
                    ...{ tasks, maxCostUsd, signal, keyPrefix: prefix, folder: path },
                    jobs: jobs ?? availableParallelism(),
                    flags: { ...flags, ...(each !== undefined && { "max-cost": each }) },
                    program: this.config.root,
                    environment: process.env,
                    dataFolder: this.directories.data,
                    announce: (line) => this.logToStderr(line),
                    onResult: (task, result) => {
                        stdout.write(`${resultLine(task, result, { predictions })}\n`);
                        const failure = failureText(task, result, told);
                        if (failure) this.logToStderr(failure);
                    },
                    progress: (now) => activity(progressLine(now)),
                })
            );
            this.logToStderr(endSentence(end));
            process.exitCode = exitCodeOfTasks(end);
            signal.throwIfAborted();
        });
    }
}

async function contentOf(file: string): Promise<string> {
    if (file === "-") return readStream(process.stdin);
    return readFile(file, "utf8").catch((error: unknown) => {
        throw new NorthError(
            "invalid-usage",
            `The tasks cannot be read: ${systemErrorText(error)}.`,
            ["Name a file with one task a line, or `-` for standard input."]
        );
    });
}
