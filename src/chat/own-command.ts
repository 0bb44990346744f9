import { OWN_OUTPUT_LINES, type Session } from "../core/session.js";
import type { LiveView } from "./live-view.js";
import { hiddenNote } from "./render/call-lines.js";
import { OutputTail } from "./render/output-tail.js";
import { safeLine, stripControls } from "../base/safe-text.js";
import type { Theme } from "./terminal/theme.js";

const LIVE_LINES = 5;

interface OwnCommandOptions {
    readonly session: Pick<Session, "runOwnCommand">;
    readonly view: Pick<LiveView, "print" | "printVerbatim" | "setActivities">;
    readonly theme: Theme;
}

/** The command of a line that starts with `!`; `undefined` for other lines. */
export function ownCommandIn(text: string): string | undefined {
    const command = /^!\s*(\S[^]*)$/.exec(text)?.[1];
    return command?.trim();
}

/** Runs the user's command after `!` and shows its output. Rejects if no shell is available. */
export async function runOwnCommand(
    command: string,
    { session, view, theme }: OwnCommandOptions,
    signal: AbortSignal
): Promise<void> {
    const output = new OutputTail();
    const since = Date.now();
    const show = (): void => {
        // The label confirms the key: a command that ignores it is killed only later.
        const label = `${signal.aborted ? "Stopping" : "Running"} ${safeLine(command)}`;
        view.setActivities([{ label, since, details: output.last(LIVE_LINES) }]);
    };
    show();
    signal.addEventListener("abort", show);
    try {
        const outcome = await session.runOwnCommand(command, {
            signal,
            onOutput: ({ text }) => {
                output.add(text);
                show();
            },
        });
        const lines = [...linesOf(outcome.stdout), ...linesOf(outcome.stderr)];
        const left = lines.length - OWN_OUTPUT_LINES;
        const shown = left > 0 ? lines.slice(-OWN_OUTPUT_LINES) : lines;
        if (left > 0) view.print(`    ${hiddenNote(left, theme)}`);
        view.printVerbatim(shown.map((line) => `    ${line}`));
        if (outcome.cancelled) view.print(theme.quiet(`[Cancelled] ${safeLine(command)}`));
        else if (outcome.timedOut) view.print(theme.warning("! Stopped: time limit reached."));
        else if (outcome.exitCode !== 0) view.print(theme.error(`✘ exit code ${outcome.exitCode}`));
    } finally {
        signal.removeEventListener("abort", show);
        view.setActivities([]);
    }
}

function linesOf(output: string): string[] {
    const text = stripControls(output).replace(/(?<!\n)\n+$/, "");
    return text === "" ? [] : text.split("\n");
}
