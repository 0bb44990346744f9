import { NorthError } from "../base/north-error.js";
import { printToStderr } from "../base/stderr.js";
import { unconfirmedGrantNotices } from "./project/project-notices.js";
import { readPrompt } from "../chat/print/read-prompt.js";
import { UNBUFFERED, printFailure, runPrint, WAITING } from "../chat/print/run-print.js";
import { withSpinner } from "../chat/terminal/spinner.js";
import { reserveStdout } from "./command-line/reserved-stdout.js";
import { stopOnSignals } from "./command-line/stop-on-signals.js";
import { onClosedOutput } from "./command-line/output-failures.js";
import { exitCodeOf } from "./command-line/usage-error.js";
import { settlePrintedDraft } from "./operations/printed-draft.js";
import { expandCommand } from "./print-command.js";
import { draftHost } from "./session/conversation-services.js";
import {
    noModel,
    openSession,
    type ConversationRun,
    type OpenedSession,
} from "./session/open-session.js";

/** Print mode: answers one prompt without asking anything. Resolves with the exit code. */
export async function printConversation(run: ConversationRun): Promise<number> {
    const { flags, prompt: argument } = run;
    const { stdin, stderr } = process;
    const isTTY = process.stdout.isTTY;
    const stdout = { write: reserveStdout(), isTTY };
    const format = flags["output-format"];
    const output = { format, mode: flags.mode ?? "agent", stdout, stderr };
    const warn = (text: string) => printToStderr(text);
    const disarm = onEarlyExit((error) => printFailure(error, { ...output, ...UNBUFFERED }));
    let prompt: string;
    let opened: OpenedSession;
    // Without a turn to stop, signals end the process anyway; a timeout does not.
    let stopper = flags.timeout === undefined ? undefined : stopOnSignals(flags.timeout);
    const watching = stopper?.watch();
    stopper?.onForcedTimeout(() =>
        printFailure(timeoutBeforeStart(), { ...output, ...UNBUFFERED })
    );
    try {
        prompt = await readPrompt({ argument, stdin, warn });
        // A plugin may block from its first line on.
        await watching;
        opened = await openSession({ ...run, onRequest: async () => stopper?.watch() }, noModel);
    } catch (error) {
        await stopper?.dispose();
        // Scripts that read JSON get their object even if nothing could start.
        if (format === "text") throw error;
        printFailure(error, output);
        return exitCodeOf(error);
    }
    const { session, project, notices } = opened;
    for (const notice of notices) warn(notice);
    for (const notice of await unconfirmedGrantNotices(project.stores.grants, "`north trust`")) {
        warn(notice);
    }
    const stopping = (stopper ??= stopOnSignals());
    // Stop: nobody would read the rest of a paid answer.
    onClosedOutput((exitCode) => stopping.stop(exitCode));
    let code: number;
    try {
        const { signal, onForcedTimeout } = stopping;
        const typed = argument ?? "";
        const approved = { write: flags["accept-edits"], shell: flags["approve-shell"] };
        const mode = session.services.session.mode.current();
        const options = {
            ...{ ...output, mode, signal, onForcedTimeout, approved },
            ...draftOptions(session, flags),
        };
        const message = await expandCommand(typed, session, signal);
        // What was piped in follows the prompt, expanded or not.
        const text = message.text + prompt.slice(typed.length);
        code = await withSpinner(WAITING, (activity) =>
            runPrint(session, { ...message, text }, { ...options, activity })
        );
    } catch (error) {
        if (format === "text") throw error;
        printFailure(error, output);
        code = exitCodeOf(error);
    } finally {
        await session.close();
        await stopping.dispose();
    }
    disarm();
    // Read late: only now is it known whether the output could be written.
    return stopping.exitCode() ?? code;
}

/** Rejects a patch outside of draft mode, which has none. */
function draftOptions(session: OpenedSession["session"], flags: ConversationRun["flags"]) {
    if (session.mode === "draft") {
        const settleDraft = (hasSucceeded: boolean) =>
            settlePrintedDraft(draftHost(session), {
                file: flags.patch,
                applies: flags["accept-edits"] && hasSucceeded,
            });
        return { settleDraft };
    }
    if (flags.patch === undefined) return {};
    const next = ["Add --mode draft."];
    throw new NorthError("no-draft", "--patch writes the patch of a draft.", next);
}

/** A plugin that calls `process.exit(0)` must not look like a success. Returns what disarms it. */
function onEarlyExit(report: (error: NorthError) => void): () => void {
    const listener = () => {
        if (process.exitCode) return;
        process.exitCode = 1;
        report(new NorthError("ended-early", "A plugin ended North before it answered."));
    };
    process.once("exit", listener);
    return () => void process.off("exit", listener);
}

function timeoutBeforeStart(): NorthError {
    return new NorthError("timeout", "Stopped before the first request (--timeout).");
}
