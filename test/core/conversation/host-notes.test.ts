import { expect } from "chai";
import { Conversation } from "../../../src/core/conversation/fold.js";
import type { JournalRecord } from "../../../src/plugin/records.js";
import { checkRecord } from "../../../src/storage/conversations/validate-record.js";

const note = (id: string, observed?: { path: string; hash: string }[]): JournalRecord => ({
    type: "entry_added",
    entry: { kind: "host_note", id, at: 1, text: `note ${id}`, ...(observed ? { observed } : {}) },
});

const user: JournalRecord = {
    type: "entry_added",
    entry: {
        kind: "user",
        id: "u",
        at: 1,
        mode: "agent",
        text: "hi",
        content: [{ type: "text", text: "hi" }],
    },
};

function reply(id: string, status: "complete" | "interrupted", callIds: readonly string[] = []) {
    const calls = callIds.map((callId) => ({
        type: "tool-call" as const,
        callId,
        name: "t",
        input: {},
    }));
    const text = { type: "text" as const, text: `reply ${id}` };
    const entry = { kind: "assistant" as const, id, at: 1, provider: "p", model: "m", status };
    const record: JournalRecord = {
        type: "entry_added",
        entry: { ...entry, content: [text, ...calls] },
    };
    return record;
}

const result = (callId: string): JournalRecord => ({
    type: "entry_added",
    entry: {
        kind: "tool_result",
        id: `result ${callId}`,
        at: 1,
        callId,
        name: "t",
        content: "{}",
        ok: true,
        durationMs: 1,
        intent: "t",
    },
});

function fold(...records: readonly JournalRecord[]) {
    const conversation = new Conversation();
    for (const record of records) conversation.apply(record);
    return conversation;
}

const shapeOf = ({ messages }: Conversation) =>
    messages.map((message) => {
        const [first] = message.content;
        return `${message.role}: ${first?.type === "text" ? first.text : first?.type}`;
    });

describe("Host notes in the log", () => {
    it("A host note folds to a user message in its place", () => {
        expect(shapeOf(fold(user, reply("a", "complete"), note("1"), note("2")))).to.deep.equal([
            ...["user: hi", "assistant: reply a", "user: note 1", "user: note 2"],
        ]);
    });

    it("A host note follows the results of the calls before it", () => {
        const records = [user, reply("a", "complete", ["1", "2"]), note("1"), result("1")];
        expect(shapeOf(fold(...records, result("2"), reply("b", "complete")))).to.deep.equal([
            ...["user: hi", "assistant: reply a", "tool: tool-result", "user: note 1"],
            "assistant: reply b",
        ]);
    });

    it("A host note survives when the calls before it never got results", () => {
        const conversation = fold(user, reply("a", "complete", ["1"]), note("1"));
        conversation.closeOpenCalls();
        expect(shapeOf(conversation)).to.deep.equal([
            ...["user: hi", "assistant: reply a", "tool: tool-result", "user: note 1"],
        ]);
    });

    it("A host note keeps the interrupted reply before it, which no retry has replaced", () => {
        const records = [user, reply("a", "interrupted"), note("1"), reply("b", "complete")];
        expect(shapeOf(fold(...records))).to.deep.equal([
            ...["user: hi", "assistant: reply a\n[Interrupted]", "user: note 1"],
            "assistant: reply b",
        ]);
    });

    it("A host note records which file versions the model knows", () => {
        const { observed } = fold(user, note("1", [{ path: "a.ts", hash: "h" }]));
        expect(observed.get("a.ts")).to.equal("h");
    });

    it("A host note is read back from the log and refused when it is damaged", () => {
        const stored: unknown = JSON.parse(JSON.stringify(note("1", [{ path: "a", hash: "h" }])));
        expect(checkRecord(stored).kind).to.equal("valid");
        const damaged = { type: "entry_added", entry: { kind: "host_note", id: "1", at: 1 } };
        expect(checkRecord(damaged).kind).to.equal("damaged");
    });
});
