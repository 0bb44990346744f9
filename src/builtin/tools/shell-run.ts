import * as Type from "typebox";
import { terminalText } from "../../base/safe-text.js";
import { NorthError } from "../../base/north-error.js";
import { type HostTraffic, trafficText } from "../../base/host-traffic.js";
import { asSentence, counted, formatDuration, truncate } from "../../base/format.js";
import type {
    ShellOutcome,
    ShellTool,
    ToolError,
    ToolSuccess,
    WriteData,
} from "../../plugin/index.js";
import { renderWritten } from "./editing/edit-tool.js";
import { shortened } from "./running/shortened-output.js";
import { throttled } from "./running/throttled-progress.js";
import { strictObject } from "./read-only-tool.js";
import { asJson, failure, success } from "./results.js";

const MAX_TIMEOUT_MS = 600_000;
const MAX_INTENT_LENGTH = 80;
const DISPLAY_LINES = 10;
const FRESH =
    "The shell session ended and was restarted: directory, variables, functions and background jobs of earlier commands are gone.";

const inputSchema = strictObject({
    command: Type.String({ minLength: 1, description: "Run by bash" }),
    cwd: Type.Optional(
        Type.String({ description: "Folder for this command only; default the session's" })
    ),
    timeoutMs: Type.Optional(
        Type.Integer({ minimum: 1, maximum: MAX_TIMEOUT_MS, default: 60_000 })
    ),
    network: Type.Optional(
        Type.Boolean({
            description:
                "It reaches hosts over HTTP(S): contained, each host is allowed by the user",
        })
    ),
    real: Type.Optional(
        Type.String({
            maxLength: 300,
            description: "Why it must run for real, if it failed contained: asks the user",
        })
    ),
    background: Type.Optional(
        Type.Boolean({ description: "Start it as a job, without &, and return at once" })
    ),
});

interface StartedJob {
    readonly job: string;
}

/** The result of a command, even if its exit code is not 0. */
export interface ShellRunData extends Omit<ShellOutcome, "cancelled" | "freshSession"> {
    readonly note?: string;
    /** The session's folder, which later commands start in, unless it is the root. */
    readonly cwd?: string;
    /** It ran contained: no network, and no effects but these. */
    readonly contained?: boolean;
    /** What it exchanged with hosts, and which were refused. */
    readonly traffic?: readonly HostTraffic[];
    /** Earlier commands left variables, functions or aliases where it ran. */
    readonly shellChanged?: boolean;
    /** Why it ran contained although it was allowed. */
    readonly because?: string;
    /** What it changed, and which of the changes were applied. */
    readonly effects?: WriteData | (ToolError & { readonly applied: "none" });
    /** What it left in ignored paths, and was kept: `dist/ (214 files)`. */
    readonly outputs?: readonly string[];
    /** What it did in git's folder, as applied: `Commit to main: "Fix retry"`. */
    readonly git?: readonly string[];
    /** Files of tools' caches, which are kept or discarded without a question. */
    readonly cacheFiles?: number;
    readonly notes?: readonly string[];
}

export const shellRun: ShellTool<Type.Static<typeof inputSchema>, ShellRunData | StartedJob> = {
    name: "shell_run",
    isEssential: true,
    description:
        "Run a command in the project's bash session: directory and exported variables carry over. Run programs of a virtual environment by path, such as .venv/bin/pytest: after source, no check counts as passed. Run servers and watchers with background.",
    approval: "shell",
    readOnly: false,
    inputSchema,
    equivalents: ({ command, timeoutMs, background }) => [
        {
            tool: "Bash",
            input: {
                command,
                ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
                ...(background === undefined ? {} : { run_in_background: background }),
            },
        },
    ],
    intent: ({ command, cwd }) =>
        `Running ${titleOf(command)}${cwd === undefined ? "" : ` in ${cwd}`}`,
    summary(data) {
        if ("job" in data) return `job ${data.job}`;
        const { exitCode, durationMs, timedOut, contained, because } = data;
        const { cacheFiles, traffic = [] } = data;
        const time = formatDuration(durationMs);
        const end = timedOut ? `time limit after ${time}` : `exit ${exitCode} in ${time}`;
        const reason = because === undefined ? "" : `, because ${because}`;
        const reached = traffic.length === 0 ? "" : ` · ${trafficText(traffic)}`;
        const caches = cacheFiles ? ` · also wrote ${counted(cacheFiles, "cache file")}` : "";
        return contained ? `contained${reason}${reached} · ${end}${caches}` : end;
    },
    render: (data) =>
        "job" in data
            ? `[job ${data.job} is running; job_output reads its output]`
            : renderRun(data),
    digest(data) {
        if ("job" in data) return undefined;
        const result = asJson(data);
        const stdout = shortened(result, "stdout");
        const stderr = shortened(result, "stderr");
        const notes = [stdout.note, stderr.note].filter((note) => note !== undefined);
        if (notes.length === 0) return undefined;
        return {
            data: { ...result, stdout: stdout.text, stderr: stderr.text },
            note: notes.join(" "),
        };
    },
    command({ command, cwd, network, real, background }) {
        if (background && /[^&]&\s*$/.test(command)) {
            throw new NorthError(
                "detached",
                "With a trailing &, the job would end at once and stop this command.",
                ["Remove the trailing &."]
            );
        }
        return {
            command,
            ...(cwd === undefined ? {} : { cwd }),
            ...(network ? { network } : {}),
            ...(real ? { real } : {}),
            ...(background ? { background } : {}),
        };
    },
    async execute({ command, cwd, timeoutMs, background }, { shell, signal, progress }) {
        if (background) {
            if (!shell.start) return failure("no-jobs", "There are no background jobs here.");
            return success({ job: (await shell.start(command, { cwd })).id });
        }
        const show = throttled(progress);
        const onOutput = ({ text }: { readonly text: string }) => show(text);
        const ran = await shell.run(command, { cwd, timeoutMs, signal, onOutput });
        const [stdout, stderr] = [terminalText(ran.stdout), terminalText(ran.stderr)];
        const outcome = { ...ran, stdout, stderr };
        if (outcome.cancelled) {
            return failure("cancelled", "The command was cancelled before it ended.");
        }

        return success(dataOf(outcome), displayOf(outcome));
    },
};

function dataOf(outcome: ShellOutcome): ShellRunData {
    const { stdout, stderr, exitCode, durationMs, truncated, timedOut, freshSession } = outcome;
    return {
        stdout,
        stderr,
        exitCode,
        durationMs,
        truncated,
        ...(timedOut ? { timedOut } : {}),
        ...(freshSession ? { note: FRESH } : {}),
    };
}

function renderRun(data: ShellRunData): string {
    const { stdout, stderr, exitCode, timedOut, cwd, contained, because, effects } = data;
    const { note, notes = [] } = data;
    const isSilent = stdout === "" && stderr === "";
    const clauses = [
        exitCode !== 0 || isSilent ? `exit ${exitCode}` : "",
        timedOut ? "ended by the time limit" : "",
        contained && because !== undefined ? `contained, because ${because}` : "",
        contained &&
        because === undefined &&
        (exitCode !== 0 || effects || data.outputs || data.git || data.notes)
            ? "contained"
            : "",
        cwd === undefined ? "" : `cwd ${cwd}`,
        data.traffic && data.traffic.length > 0 ? trafficText(data.traffic) : "",
        data.truncated ? "the middle of the output is missing" : "",
        data.git ? `in git: ${data.git.join(", ")}` : "",
        data.outputs ? `kept, ignored: ${data.outputs.join(", ")}` : "",
    ];
    const { message, hint } = effects?.applied === "none" ? effects : {};
    const sentences = [message, hint, note, ...notes];
    const said = sentences.filter((text) => text !== undefined).map(asSentence);
    const facts = [...clauses, said.join(" ")].filter((fact) => fact !== "");
    return [
        facts.length === 0 ? "" : `[${facts.join("; ")}]\n`,
        effects === undefined || effects.applied === "none" ? "" : `${renderWritten(effects)}\n`,
        stdout,
        stderr === "" ? "" : `${/(?:^|\n)$/.test(stdout) ? "" : "\n"}[stderr]\n${stderr}`,
    ]
        .join("")
        .replace(/\n$/, "");
}

/** The last lines, for the user; the model gets its own selection. */
function displayOf({ stdout, stderr }: ShellOutcome): Pick<ToolSuccess, "display" | "fullDisplay"> {
    const lines = [stdout, stderr].flatMap((text) =>
        text === "" ? [] : text.replace(/\n$/, "").split("\n")
    );
    if (lines.length === 0) return {};
    const display = lines.slice(-DISPLAY_LINES).join("\n");
    return lines.length > DISPLAY_LINES ? { display, fullDisplay: lines.join("\n") } : { display };
}

/** Returns the first line of a command, with `…` if there is more. */
function titleOf(command: string): string {
    const [first = "", ...others] = command.trim().split("\n");
    const title = first.trim() + (others.length > 0 ? " …" : "");
    return truncate(title, MAX_INTENT_LENGTH);
}
