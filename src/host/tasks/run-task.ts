import { spawn } from "node:child_process";
import path from "node:path";
import { attempt } from "../../base/attempt.js";
import { withStreams } from "../../base/child-streams.js";
import { fieldsIn } from "../../base/fields.js";
import { asSentence, firstWords } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import { isPrintResult, type PrintResult } from "../../chat/print/run-print.js";
import type { AgentEvent } from "../../core/agent/events.js";
import { IN_PROGRESS_EXIT_CODE } from "../../storage/conversations/keyed-runs.js";
import { withKeys } from "../../storage/secrets/key-environment.js";
import type { ChatFlags } from "../command-line/chat-flags.js";

type PassedFlags = Omit<ChatFlags, "print" | "mode" | "output-format" | "patch" | "file">;

/** A prompt to work on without a person, in a draft of its own. */
export interface Task {
    readonly prompt: string;
    /** As on the command line: model, until, limits, and what is approved. */
    readonly flags: Partial<PassedFlags>;
    /** See `--once`. */
    readonly once?: string;
}

export interface TaskPlace {
    /** The folder of North's package. */
    readonly program: string;
    /** A folder in the checkout, which stays as it is. */
    readonly folder: string;
    readonly environment: NodeJS.ProcessEnv;
    /** Ends the run, which can be resumed. */
    readonly signal: AbortSignal;
    onEvent?(event: AgentEvent): void;
}

/** How a task ended: with a result, held by another process, or by a crash. */
export type TaskEnd =
    | { readonly kind: "result"; readonly result: PrintResult }
    | { readonly kind: "held" }
    | { readonly kind: "crashed"; readonly error: NorthError };

/** Max wait for a run that was told to end. */
const END_MS = 10_000;
const MAX_ERROR_CHARACTERS = 2_000;
const MAX_REASON_CHARACTERS = 200;

/**
 * Runs a task in a process of its own: a crash, a full heap or a plugin's exit ends that task alone.
 * The result has the answer, the draft's patch, costs, evidence and the stop reason.
 */
export async function runTask(task: Task, place: TaskPlace): Promise<TaskEnd> {
    const { signal, environment, folder, onEvent } = place;
    const program = path.join(place.program, "bin", "run.js");
    const child = attempt(() =>
        withStreams(
            spawn(process.execPath, [program, ...wordsOf(task, folder)], {
                env: withKeys(environment),
                stdio: ["pipe", "pipe", "pipe"],
                // Ctrl+C in the terminal reaches North alone, which then ends its tasks.
                detached: true,
            })
        )
    );
    if (!child) return { kind: "crashed", error: crashed("too many files are open", "") };
    let timer: NodeJS.Timeout | undefined;
    const stop = () => {
        child.kill("SIGTERM");
        timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    // A program that ends early does not read its prompt.
    child.stdin.on("error", () => {}).end(task.prompt);
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
        errors = (errors + text).slice(-MAX_ERROR_CHARACTERS);
    });
    let result: PrintResult | undefined;
    const reading = (async () => {
        for await (const line of linesOf(child.stdout)) {
            // A killed process leaves half a line.
            const event = fieldsIn(line);
            if (event !== undefined && isPrintResult(event)) result = event;
            else if (isAgentEvent(event)) onEvent?.(event);
        }
    })();
    try {
        const [code, reason] = await new Promise<[number | null, string | null]>((resolve) =>
            child
                .once("error", ({ message }) => resolve([null, message]))
                .once("close", (...end) => resolve(end))
        );
        await reading;
        if (code === IN_PROGRESS_EXIT_CODE) return { kind: "held" };
        if (result) return { kind: "result", result };
        return { kind: "crashed", error: crashed(reason ?? `exit code ${code}`, errors) };
    } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
    }
}

function wordsOf({ flags, once }: Task, folder: string): string[] {
    const all = { ...flags, path: folder, once, mode: "draft", "output-format": "stream-json" };
    const words = Object.entries(all).flatMap(([name, value]) => {
        if (value === undefined || value === false) return [];
        if (value === true) return [`--${name}`];
        return [value].flat().map((each) => `--${name}=${each}`);
    });
    return ["chat", "--print", ...words];
}

async function* linesOf(stream: NodeJS.ReadableStream): AsyncGenerator<string> {
    let pieces: string[] = [];
    for await (const chunk of stream.setEncoding("utf8")) {
        const [first = "", ...others] = String(chunk).split("\n");
        pieces.push(first);
        for (const next of others) {
            yield pieces.join("");
            pieces = [next];
        }
    }
}

/** North wrote it, so that its type says what else it has. */
function isAgentEvent(event: object | undefined): event is AgentEvent {
    return event !== undefined && "type" in event && event.type !== "run-started";
}

function crashed(how: string, errors: string): NorthError {
    const lines = errors.split("\n").filter((line) => line.trim() !== "");
    // Node prints a stack below the line that names the error.
    const said = lines.find((line) => /error/i.test(line)) ?? lines.at(-1);
    const why =
        said === undefined ? "." : `: ${asSentence(firstWords(said, MAX_REASON_CHARACTERS))}`;
    return new NorthError(
        "task-crashed",
        `The task's process ended without a result (${how})${why}`,
        ["Run the same command again: it resumes the task."]
    );
}
