import { expect } from "chai";
import type { ContextPart } from "../../../src/plugin/index.js";
import { userContent } from "../../../src/core/message/user-content.js";
import { contextUsage } from "../../../src/core/message/usage.js";
import { Conversation } from "../../../src/core/conversation/fold.js";
import type { JournalRecord } from "../../../src/plugin/records.js";
import { checkRecord } from "../../../src/storage/conversations/validate-record.js";
import { scriptedModelInfo } from "../../helpers/scripted-model.js";

const RULES: ContextPart = { kind: "rules", id: "rules", text: "Rules." };
const CARD: ContextPart = { kind: "project card", id: "project-card", text: "Card." };
const NOTE: ContextPart = {
    kind: "AGENTS.md",
    id: "src/AGENTS.md",
    text: "Of src.",
    origin: "src/AGENTS.md",
};

function user(id: string, text: string, parts: readonly ContextPart[] = []): JournalRecord {
    const { content, context } = userContent({
        text,
        mode: "agent",
        parts,
        reminders: [],
        attachments: [{ content: { type: "text", text: "Attached." }, origin: "a.ts" }],
    });
    return {
        type: "entry_added",
        entry: { kind: "user", id, at: 1, mode: "agent", text, content, context },
    };
}

function call(id: string): JournalRecord {
    const part = { type: "tool-call", callId: `call-${id}`, name: "t", input: {} } as const;
    const entry = { kind: "assistant", id, at: 1, provider: "p", model: "m" } as const;
    return { type: "entry_added", entry: { ...entry, status: "complete", content: [part] } };
}

function result(id: string): JournalRecord {
    const entry = { kind: "tool_result", id: `r-${id}`, at: 1, callId: `call-${id}` } as const;
    const said = { name: "t", content: '{"ok":true}', ok: true, durationMs: 1, intent: "" };
    return { type: "entry_added", entry: { ...entry, ...said, notes: [NOTE] } };
}

const RECORDS = [user("u1", "hi", [CARD, RULES]), call("a1"), result("a1")];

function folded(records: readonly JournalRecord[]): Conversation {
    const conversation = new Conversation();
    for (const record of records) conversation.apply(record);
    return conversation;
}

describe("Project context in a conversation", () => {
    it("The context already given is recognized when the log is read again", () => {
        const read = RECORDS.map((record) => checkRecord(JSON.parse(JSON.stringify(record))));
        const records = read.map((checked) => {
            if (checked.kind !== "valid") throw new Error(checked.kind);
            return checked.record;
        });
        const conversation = folded(records);
        expect([...conversation.context.parts.values()]).to.deep.equal([CARD, RULES, NOTE]);
        expect(conversation.messages).to.deep.equal(folded(RECORDS).messages);
    });

    it("New context follows the result that caused it, in the same text", () => {
        const { messages } = folded(RECORDS);
        const content = messages.at(-1)?.content[0];
        expect(content).to.deep.include({ content: '{"ok":true}\n\nOf src.' });
    });

    it("Each part of the context survives a summary exactly once", () => {
        const conversation = folded([
            ...RECORDS,
            user("u2", "and now", [{ ...RULES, text: "New rules." }]),
            { type: "rolling_summary_set", summary: "Summary.", keepFrom: "u2", at: 1 },
        ]);
        const texts = conversation.messages.map(({ content }) =>
            content.map((part) => ("text" in part ? part.text : ""))
        );
        expect(texts).to.deep.equal([
            ["Card.", "Of src.", "Summary."],
            ["New rules.", "Attached.", "and now"],
        ]);
    });

    it("Context tokens are counted apart from the conversation's", () => {
        const conversation = folded(RECORDS);
        const request = {
            model: scriptedModelInfo,
            system: "System.",
            tools: [],
            messages: conversation.messages,
            maxOutputTokens: 1,
            thinking: false,
            conversationId: "abc123",
        };
        const { parts, totalTokens } = contextUsage(request, conversation.context, 0);
        expect(parts.map(({ name }) => name)).to.deep.equal([
            "system prompt",
            "tools",
            "project card",
            "rules",
            "attachments",
            "AGENTS.md",
            "your messages",
            "answers and calls",
            "tool results",
        ]);
        expect(parts.find(({ name }) => name === "AGENTS.md")?.origins).to.deep.equal([
            { origin: "src/AGENTS.md", tokens: 3 },
        ]);
        expect(totalTokens).to.equal(parts.reduce((sum, { tokens }) => sum + tokens, 0));
    });
});
