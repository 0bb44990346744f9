import type { ToolCallPart, ToolResult, ToolSuccess } from "../../../plugin/index.js";
import type { ToolResultEntry } from "../../../plugin/records.js";
import type { AgentEvent } from "../events.js";
import type { Turn } from "../turn.js";
import { executeCall, type SettledCall } from "./execute-call.js";
import type { TurnOutputs } from "./outputs.js";
import { type Outlet, relayed } from "./relay.js";

type ResultListener = (call: ToolCallPart, entry: ToolResultEntry) => void;

interface GroupOptions {
    readonly outputs: TurnOutputs;
    readonly outlet: Outlet;
    readonly onResult: ResultListener;
}

/**
 * Executes the calls of one reply: adjacent reads in parallel, everything else in sequence. Results
 * are stored and reported in call order.
 */
export async function* executeCalls(
    turn: Turn,
    calls: readonly ToolCallPart[],
    outputs: TurnOutputs,
    onResult: ResultListener
): AsyncGenerator<AgentEvent, void> {
    for (const group of groups(turn, calls)) {
        yield* relayed(turn, (outlet) => runGroup(turn, group, { outputs, outlet, onResult }));
    }
}

async function runGroup(
    turn: Turn,
    calls: readonly ToolCallPart[],
    { outputs, outlet, onResult }: GroupOptions
): Promise<void> {
    const running = calls.map((call) => ({
        call,
        settling: executeCall(turn, call, outputs, outlet),
    }));
    for (const { settling } of running) settling.catch(() => {});
    for (const { call, settling } of running) {
        const settled = await settling;
        const entry = await entryWithNotes(turn, settled);
        turn.record({ type: "entry_added", entry });
        onResult(call, entry);
        outlet.tell(finished(settled));
    }
}

function finished({ entry, result }: SettledCall): AgentEvent {
    const { callId, name, intent, ok, summary, display, durationMs } = entry;
    return {
        type: "tool-call-finished",
        callId,
        name,
        intent,
        ok,
        durationMs,
        ...(summary === undefined ? {} : { summary }),
        ...(display === undefined ? {} : { display }),
        ...hiddenLines(result),
        ...(result.ok ? progressIn(result) : { error: result.error }),
    };
}

function progressIn({ progress }: ToolSuccess): { progress?: string } {
    return progress === undefined ? {} : { progress };
}

function hiddenLines(result: ToolResult): { hiddenLines?: number } {
    if (!result.ok || result.fullDisplay === undefined) return {};
    const lines = (text: string): number => text.split("\n").length;
    return { hiddenLines: lines(result.fullDisplay) - lines(result.display ?? "") };
}

/** Adjacent calls that may run in parallel; every other call is a group of its own. */
function groups(turn: Turn, calls: readonly ToolCallPart[]): readonly (readonly ToolCallPart[])[] {
    const grouped: ToolCallPart[][] = [];
    let isOpen = false;
    for (const call of calls) {
        const tool = turn.tools.get(call.name);
        const mayShare = tool?.approval === "none" && tool.readOnly;
        if (mayShare && isOpen) grouped.at(-1)?.push(call);
        else grouped.push([call]);
        isOpen = mayShare;
    }
    return grouped;
}

/**
 * The entry of a call, with what the model has to know of files it has now touched for the first
 * time. Asked for call by call, so that of two calls in one folder only the first tells it.
 */
async function entryWithNotes(
    turn: Turn,
    { entry, touched }: SettledCall
): Promise<ToolResultEntry> {
    if (touched.length === 0 || !turn.contextFor) return entry;
    try {
        const notes = await turn.contextFor(touched);
        return notes.length > 0 ? { ...entry, notes } : entry;
    } catch (error) {
        // A result that is there must be stored, whatever becomes of what would go with it.
        turn.log.event("error", "context_failed", { error: String(error) });
        return entry;
    }
}
