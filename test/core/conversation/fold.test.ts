import { expect } from "chai";
import fc from "fast-check";
import type { Message } from "../../../src/plugin/index.js";
import { Conversation } from "../../../src/core/conversation/fold.js";
import type { JournalRecord } from "../../../src/plugin/records.js";

function user(id: string, text = "hi"): JournalRecord {
    const content = [{ type: "text" as const, text }];
    return {
        type: "entry_added",
        entry: { kind: "user", id, at: 1, mode: "agent", text, content },
    };
}

function replyBegins(id: string): JournalRecord {
    return {
        type: "entry_added",
        entry: {
            kind: "assistant",
            id,
            at: 1,
            provider: "p",
            model: "m",
            status: "streaming",
            content: [],
        },
    };
}

function replyEnds(
    id: string,
    callIds: readonly string[],
    status: "complete" | "cancelled" | "interrupted" = "complete"
): JournalRecord {
    const calls = callIds.map((callId) => ({
        type: "tool-call" as const,
        callId,
        name: "t",
        input: {},
    }));
    return {
        type: "entry_updated",
        id,
        changes: { status, content: [{ type: "text", text: "so" }, ...calls] },
    };
}

function result(callId: string): JournalRecord {
    return {
        type: "entry_added",
        entry: {
            kind: "tool_result",
            id: `r-${callId}`,
            at: 1,
            callId,
            name: "t",
            content: '{"ok":true}',
            ok: true,
            durationMs: 1,
            intent: "",
        },
    };
}

function fold(records: readonly JournalRecord[]): Conversation {
    const conversation = new Conversation();
    for (const record of records) conversation.apply(record);
    return conversation;
}

/** What every vendor demands: each call answered once, in the message right after it. */
function problemsOf(messages: readonly Message[]): string[] {
    return messages.flatMap((message, index) => {
        const calls =
            message.role === "assistant"
                ? message.content.flatMap((part) => (part.type === "tool-call" ? part.callId : []))
                : [];
        const next = messages[index + 1];
        const answered = next?.role === "tool" ? next.content.map(({ callId }) => callId) : [];
        if (message.role === "tool") {
            return messages[index - 1]?.role === "assistant" ? [] : ["stray"];
        }
        return JSON.stringify(calls) === JSON.stringify(answered) ? [] : [`unanswered at ${index}`];
    });
}

describe("Folding a log", () => {
    it("Calls are answered in call order, whatever the order of their results", () => {
        const { messages } = fold([
            user("u"),
            replyBegins("a"),
            replyEnds("a", ["1", "2"]),
            result("2"),
            result("1"),
        ]);
        const last = messages.at(-1);
        expect(last?.role === "tool" && last.content.map(({ callId }) => callId)).to.deep.equal([
            "1",
            "2",
        ]);
    });

    it("A call without a result is closed as interrupted", () => {
        const conversation = fold([
            user("u"),
            replyBegins("a"),
            replyEnds("a", ["1", "2"]),
            result("1"),
            user("u2"),
        ]);
        const tool = conversation.messages[2];
        expect(tool?.role === "tool" && tool.content[1]?.content).to.contain("interrupted");
        expect(conversation.messages[3]?.role).to.equal("user");
    });

    it("The text of a reply survives the death of its process", () => {
        const conversation = fold([
            user("u"),
            replyBegins("a"),
            { type: "entry_updated", id: "a", appendText: "Half " },
            { type: "entry_updated", id: "a", appendText: "an answer" },
        ]);
        conversation.closeOpenCalls();
        expect(conversation.messages.at(-1)).to.deep.equal({
            role: "assistant",
            content: [{ type: "text", text: "Half an answer\n[Interrupted]" }],
        });
    });

    it("An interrupted reply is dropped once a retry takes its place", () => {
        const conversation = fold([
            user("u"),
            replyBegins("a"),
            replyEnds("a", ["1"], "interrupted"),
            replyBegins("b"),
            replyEnds("b", []),
        ]);
        expect(conversation.messages.map(({ role }) => role)).to.deep.equal(["user", "assistant"]);
        expect(problemsOf(conversation.messages)).to.deep.equal([]);
    });

    it("A summary stands in for everything before it, also the second time", () => {
        const conversation = fold([
            user("u1", "one"),
            replyBegins("a"),
            replyEnds("a", []),
            user("u2", "two"),
            user("u3", "three"),
            { type: "rolling_summary_set", summary: "first", keepFrom: "u2", at: 1 },
            { type: "rolling_summary_set", summary: "second", keepFrom: "u3", at: 1 },
        ]);
        const texts = conversation.messages.map(({ content }) => JSON.stringify(content));
        expect(texts).to.have.length(2);
        expect(texts[0]).to.contain("second");
        expect(texts[1]).to.contain("three");
    });

    it("Every prefix of every log folds to a valid request, and appending changes nothing before", () => {
        const callIds = fc.uniqueArray(fc.constantFrom("1", "2", "3"), { maxLength: 3 });
        const step = fc.oneof(
            fc.constant("user" as const),
            callIds.map((ids) => ({ ids, status: "complete" as const })),
            callIds.map((ids) => ({ ids, status: "interrupted" as const })),
            callIds.map((ids) => ({ ids, status: "cancelled" as const })),
            fc.constant("dies" as const),
            fc.constantFrom("1", "2", "3").map((callId) => ({ callId }))
        );
        fc.assert(
            fc.property(fc.array(step, { maxLength: 25 }), fc.nat(), (steps, cut) => {
                let round = 0;
                const records = steps.flatMap((each): JournalRecord[] => {
                    if (each === "user") return [user(`u${round}`)];
                    if (each === "dies") return [replyBegins(`a${(round += 1)}`)];
                    if ("callId" in each) return [result(`${round}-${each.callId}`)];
                    const id = `a${(round += 1)}`;
                    const ids = each.ids.map((callId) => `${round}-${callId}`);
                    return [replyBegins(id), replyEnds(id, ids, each.status)];
                });
                const prefix = records.slice(0, cut % (records.length + 1));
                const conversation = fold([...prefix, user("last")]);
                conversation.closeOpenCalls();
                expect(problemsOf(conversation.messages)).to.deep.equal([]);
                const again = fold([...prefix, user("last")]);
                expect(again.messages).to.deep.equal(conversation.messages);
            })
        );
    });
});
