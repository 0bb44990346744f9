import type { AssistantEntry, JournalRecord, UserEntry } from "../../src/plugin/records.js";
import type { CostRecord } from "../../src/core/costs/ledger.js";

let count = 0;

export function userEntry(text: string, changes: Partial<UserEntry> = {}): UserEntry {
    count += 1;
    return {
        kind: "user",
        id: `entry-${count}`,
        at: 1_764_000_000_000 + count,
        mode: "agent",
        text,
        content: [{ type: "text", text }],
        ...changes,
    };
}

export function replyEntry(text: string, changes: Partial<AssistantEntry> = {}): AssistantEntry {
    count += 1;
    return {
        kind: "assistant",
        id: `entry-${count}`,
        at: 1_764_000_000_000 + count,
        provider: "anthropic",
        model: "claude-sonnet-5-5",
        status: "complete",
        content: [{ type: "text", text }],
        ...changes,
    };
}

export function added(entry: UserEntry | AssistantEntry): JournalRecord {
    return { type: "entry_added", entry };
}

export function costRecord(changes: Partial<CostRecord> = {}): CostRecord {
    return {
        at: new Date(2026, 10, 22, 12).getTime(),
        conversationId: "abc123",
        project: "/work/project",
        provider: "anthropic",
        model: "claude-sonnet-5-5",
        usage: { inputTokens: 100, outputTokens: 10 },
        costUsd: 0.0001,
        ...changes,
    };
}
