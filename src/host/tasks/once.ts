import { sha256 } from "../../base/sha256.js";
import { isPrintResult, type PrintResult } from "../../chat/print/run-print.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";
import { holdKey, keyedRun, type KeyedRun } from "../../storage/conversations/keyed-runs.js";
import { findRoot } from "../../workspace/find-root.js";
import type { ChatFlags } from "../command-line/chat-flags.js";

/** A run of print mode that happens once, held by this process until it is released. */
export interface OnceRun {
    /** What it answered earlier. */
    readonly finished: PrintResult | undefined;
    /** The conversation to resume; `undefined` if there is none yet. */
    readonly conversationId: string | undefined;
    /** Stores the conversation before its first request. */
    begin(conversationId: string): Promise<void>;
    /** Stores the result, unless another start could bring another. */
    finish(result: PrintResult): Promise<void>;
    release(): void;
}

/** What a key stands for: another prompt or model needs another key. */
export interface Asked extends Pick<ChatFlags, "mode" | "model" | "until"> {
    readonly prompt: string;
}

interface OncePlace {
    readonly dataFolder: string;
    /** A folder in the project. */
    readonly folder: string;
}

/** Rejects with `held-elsewhere` or `other-task`. */
export async function openOnce(
    { dataFolder, folder }: OncePlace,
    key: string,
    asked: Asked
): Promise<OnceRun> {
    const { root } = await findRoot(folder);
    const held = await holdKey({ dataFolder, root }, key, askedHash(asked));
    const stored = held.run?.conversationId;
    const isThere = stored !== undefined && createConversationStore(dataFolder).has(stored);
    let conversationId = isThere ? stored : undefined;
    return {
        finished: finishedOf(held.run),
        conversationId,
        async begin(id) {
            conversationId = id;
            await held.save({ conversationId: id });
        },
        async finish(result) {
            if (conversationId !== undefined && isFinal(result)) {
                await held.save({ conversationId, result });
            }
        },
        release: held.release,
    };
}

/** What is known of a run without holding its key; nothing of a key for another task. */
export async function earlierRun(
    { dataFolder, root }: { readonly dataFolder: string; readonly root: string },
    key: string,
    asked: Asked
): Promise<Partial<Pick<OnceRun, "finished" | "conversationId">>> {
    const run = await keyedRun(dataFolder, root, key);
    if (run?.askedHash !== askedHash(asked)) return {};
    return { finished: finishedOf(run), conversationId: run.conversationId };
}

function finishedOf(run: KeyedRun | undefined): OnceRun["finished"] {
    return run?.result && isPrintResult(run.result) ? run.result : undefined;
}

function askedHash({ prompt, mode, model, until }: Asked): string {
    return sha256(JSON.stringify([prompt, mode ?? "", model ?? "", until ?? ""]));
}

const UNFINISHED: ReadonlySet<string> = new Set([
    ...["cancelled", "timeout", "error"],
    // Whoever starts it again may have raised the limit; with the same one it costs nothing.
    ...["max-turns", "max-cost"],
]);
/** Errors that the answer itself has brought. */
const VERDICTS: ReadonlySet<string> = new Set(["until-failed", "invalid-answer"]);

/** Whether another start would bring nothing else. */
function isFinal({ stopReason, error }: PrintResult): boolean {
    return !UNFINISHED.has(stopReason) || VERDICTS.has(error?.code ?? "");
}
