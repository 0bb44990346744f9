import { isExpectedError, NorthError } from "../base/north-error.js";
import { printToStderr } from "../base/stderr.js";
import { unconfirmedGrantNotices } from "./project/project-notices.js";
import { readPrompt } from "../chat/print/read-prompt.js";
import {
    finish,
    type PrintResult,
    UNBUFFERED,
    printFailure,
    runPrint,
    WAITING,
} from "../chat/print/run-print.js";
import { withSpinner } from "../chat/terminal/spinner.js";
import { modeIn } from "./command-line/chat-flags.js";
import { pluginsOfOthers } from "./command-line/name-faulty-plugin.js";
import { reserveStdout } from "./command-line/reserved-stdout.js";
import { stopOnSignals } from "./command-line/stop-on-signals.js";
import { onClosedOutput } from "./command-line/output-failures.js";
import { exitCodeOf } from "./command-line/usage-error.js";
import { heldElsewhere } from "../storage/conversations/keyed-runs.js";
import { openOnce, type OnceRun } from "./tasks/once.js";
import { assertWritable, settlePrintedDraft, writePatch } from "./operations/printed-draft.js";
import { expandCommand } from "./expand-command.js";
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
    const { "output-format": format = "text" } = flags;
    const output = { format, mode: modeIn(flags) ?? "agent", stdout, stderr };
    const disarm = onEarlyExit((error) => printFailure(error, { ...output, ...UNBUFFERED }));
    let prompt: string;
    let once: OnceRun | undefined;
    let opened: OpenedSession;
    // Without a turn to stop, signals end the process anyway; a timeout does not.
    let stopper = flags.timeout === undefined ? undefined : stopOnSignals(flags.timeout);
    const watching = stopper?.watch();
    stopper?.onForcedTimeout(() =>
        printFailure(timeoutBeforeStart(), { ...output, ...UNBUFFERED })
    );
    try {
        prompt = await readPrompt({ argument, stdin, warn: printToStderr });
        // A plugin may block from its first line on.
        await watching;
        once = await onceRun(run, prompt);
        const finished = once?.finished;
        if (finished) {
            once?.release();
            await stopper?.dispose();
            disarm();
            return await printFinished(finished, flags.patch, output);
        }
        opened = await openRun({ ...run, onRequest: async () => watch(run, stopper) }, once);
    } catch (error) {
        once?.release();
        await stopper?.dispose();
        // Scripts that read JSON get their object even if nothing could start.
        if (format === "text") throw error;
        printFailure(error, output);
        return exitCodeOf(error);
    }
    const { session } = opened;
    await printNotices(opened);
    const stopping = (stopper ??= stopOnSignals());
    // Stop: nobody would read the rest of a paid answer.
    onClosedOutput((exitCode) => stopping.stop(exitCode));
    let code: number;
    try {
        const { signal, onForcedTimeout } = stopping;
        const approved = { write: flags["accept-edits"], shell: flags["approve-shell"] };
        const mode = session.services.session.mode.current();
        const options = {
            ...{ ...output, mode, signal, onForcedTimeout, approved },
            ...(await draftOptions(session, flags)),
            onResult: async (result: PrintResult) => once?.finish(result),
        };
        const message = await messageOf(run, prompt, session, signal);
        code = await withSpinner(WAITING, (activity) =>
            runPrint(session, message, { ...options, activity })
        );
    } catch (error) {
        if (format === "text") throw error;
        printFailure(error, output);
        code = exitCodeOf(error);
    } finally {
        await session.close();
        once?.release();
        await stopping.dispose();
    }
    disarm();
    // Read late: only now is it known whether the output could be written.
    return stopping.exitCode() ?? code;
}

/** A plugin may block at any time. */
async function watch({ config }: ConversationRun, stopper?: ReturnType<typeof stopOnSignals>) {
    await (pluginsOfOthers(config.plugins).length > 0 ? stopper?.watch() : stopper?.watchIfLong());
}

async function printNotices({ project, notices }: OpenedSession): Promise<void> {
    const unconfirmed = await unconfirmedGrantNotices(project.stores.grants, "`north trust`");
    for (const notice of [...notices, ...unconfirmed]) printToStderr(notice);
}

/** The message; `undefined` if the run was interrupted after it. */
async function messageOf(
    { once, prompt: typed = "" }: ConversationRun,
    prompt: string,
    session: OpenedSession["session"],
    signal: AbortSignal
) {
    const isInterrupted = once !== undefined && session.entries.some(({ kind }) => kind === "user");
    if (isInterrupted) return undefined;
    const message = await expandCommand(typed, session, signal);
    // What was piped in follows the prompt, expanded or not.
    return { ...message, text: message.text + prompt.slice(typed.length) };
}

/** The run of `--once`. Rejects with `held-elsewhere` or `other-task`. */
async function onceRun(run: ConversationRun, prompt: string): Promise<OnceRun | undefined> {
    if (run.once === undefined) return undefined;
    const place = {
        dataFolder: run.directories.data,
        folder: run.flags.path ?? process.cwd(),
    };
    return openOnce(place, run.once, { ...run.flags, prompt });
}

/** The run's conversation is stored before its first request, so that nothing is paid again. */
async function openRun(run: ConversationRun, once: OnceRun | undefined): Promise<OpenedSession> {
    const resume = once?.conversationId ?? run.resume;
    const opened = await openSession({ ...run, ...(resume && { resume }) }, noModel).catch(
        (error: unknown) => {
            const isOpen = isExpectedError(error) && error.code === "conversation-in-use";
            throw once && isOpen ? heldElsewhere(run.once ?? "") : error;
        }
    );
    const { session } = opened;
    if (once) {
        await session.conversation.begin();
        await once.begin(session.conversationId);
    }
    return opened;
}

/** Answers as the finished run did. */
async function printFinished(
    result: PrintResult,
    patchFile: string | undefined,
    output: Parameters<typeof finish>[1]
): Promise<number> {
    const { patch } = result.draft ?? {};
    const isAnswer = patchFile === "-";
    if (patch !== undefined && patchFile !== undefined && !isAnswer) {
        await writePatch(patchFile, patch);
    }
    return finish(result, output, isAnswer);
}

/** Rejects a patch outside of draft mode, which has none, and one that cannot be written. */
async function draftOptions(session: OpenedSession["session"], flags: ConversationRun["flags"]) {
    const { patch } = flags;
    if (session.mode === "draft") {
        if (patch !== undefined && patch !== "-") await assertWritable(patch);
        const settleDraft = (hasSucceeded: boolean) =>
            settlePrintedDraft(draftHost(session), {
                file: patch,
                applies: flags["accept-edits"] && hasSucceeded,
                grants: session.options.runGrants,
            });
        return { settleDraft };
    }
    if (patch === undefined) return {};
    const next = ["Add --mode draft."];
    throw new NorthError("invalid-usage", "--patch writes the patch of a draft.", next);
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
