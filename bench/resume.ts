import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Conversation } from "../src/core/conversation/fold.js";
import type { JournalRecord } from "../src/plugin/records.js";
import {
    type ConversationStore,
    createConversationStore,
} from "../src/storage/conversations/conversations.js";
import { median, type BenchRow } from "./measure.js";

const MEGABYTES = 50;

/** How long it takes to resume a long log. */
export async function resumeRows(): Promise<BenchRow[]> {
    const folder = mkdtempSync(path.join(tmpdir(), "north-bench-"));
    try {
        const store = createConversationStore(folder);
        const { id, journal } = await longLog(store, folder);
        await journal.close();
        const times: number[] = [];
        for (let run = 0; run < 5; run += 1) {
            const begin = performance.now();
            const conversation = new Conversation();
            const { records } = await store.read(id);
            for (const record of records) conversation.apply(record);
            times.push(performance.now() - begin);
        }
        const value = median(times);
        return [
            {
                what: "resuming a 50 MB log",
                value: `${(value / 1_000).toFixed(2)} s`,
                bound: "1 s",
                ok: value <= 1_000,
            },
        ];
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

/** Writes a 50 MB log and leaves it open; `more` returns extra records per turn. */
export async function longLog(
    store: ConversationStore,
    root: string,
    more: (turn: number) => readonly JournalRecord[] = () => []
) {
    const id = store.newId();
    const { journal } = await store.start({ id, root, provider: "p", model: "m" });
    let bytes = 0;
    for (let turn = 0; bytes < MEGABYTES * 1e6; turn += 1) {
        for (const record of [...recordsOf(turn), ...more(turn)]) {
            journal.append(record);
            bytes += JSON.stringify(record).length + 1;
        }
    }
    return { id, journal };
}

/** Fields in the order in which North writes them: readers skip lines by their prefix. */
export function recordsOf(turn: number): JournalRecord[] {
    const callId = `call-${turn}`;
    return [
        {
            type: "entry_added",
            entry: {
                kind: "user",
                id: `u${turn}`,
                at: turn,
                mode: "agent",
                text: "go on",
                content: [{ type: "text", text: "go on" }],
            },
        },
        {
            type: "entry_added",
            entry: {
                kind: "assistant",
                id: `a${turn}`,
                at: turn,
                provider: "p",
                model: "m",
                status: "streaming",
                content: [],
            },
        },
        {
            type: "entry_updated",
            id: `a${turn}`,
            changes: {
                status: "complete",
                content: [
                    { type: "text", text: "I will read it. ".repeat(30) },
                    { type: "tool-call", callId, name: "read_file", input: { path: "a.ts" } },
                ],
            },
        },
        {
            type: "entry_added",
            entry: {
                kind: "tool_result",
                id: `r${turn}`,
                at: turn,
                callId,
                name: "read_file",
                content: JSON.stringify({
                    ok: true,
                    data: { content: "line of code\n".repeat(80) },
                }),
                ok: true,
                durationMs: 1,
                intent: "Reading a.ts",
            },
        },
    ];
}
