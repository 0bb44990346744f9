import { expect } from "chai";
import fc from "fast-check";
import type { JournalRecord } from "../../../src/plugin/records.js";
import { Conversation } from "../../../src/core/conversation/fold.js";
import { SentContext } from "../../../src/core/conversation/sent-context.js";
import { expectedTokens, estimateTokens, tokensOf } from "../../../src/core/message/estimate.js";
import {
    parseSummary,
    type StructuredSummary,
} from "../../../src/core/summary/structured-summary.js";
import { factsBefore } from "../../../src/core/summary/summary-facts.js";
import { firstKeptMessage } from "../../../src/core/summary/summary-keep.js";
import { summaryRequest } from "../../../src/core/summary/summary-request.js";
import { summaryText } from "../../../src/core/summary/summary-text.js";
import { scriptedModelInfo } from "../../helpers/scripted-model.js";

const SUMMARY: StructuredSummary = {
    goal: "Make it work",
    decisions: ["Use fetch"],
    constraints: [],
    openTasks: [],
    importantFiles: [],
};

function user(id: string, text: string): JournalRecord {
    const content = [{ type: "text" as const, text }];
    return {
        type: "entry_added",
        entry: { kind: "user", id, at: 1, mode: "agent", text, content },
    };
}

function reply(id: string, callIds: readonly string[], tokens?: number): JournalRecord {
    const calls = callIds.map((callId) => ({
        type: "tool-call" as const,
        callId,
        name: "t",
        input: {},
    }));
    return {
        type: "entry_added",
        entry: {
            kind: "assistant",
            id,
            at: 1,
            provider: "p",
            model: "m",
            status: "complete",
            content: [{ type: "text", text: "so" }, ...calls],
            ...(tokens === undefined ? {} : { usage: { inputTokens: tokens } }),
        },
    };
}

function result(callId: string, content = '{"ok":true}'): JournalRecord {
    return {
        type: "entry_added",
        entry: {
            kind: "tool_result",
            id: `r-${callId}`,
            at: 1,
            callId,
            name: "t",
            content,
            ok: true,
            durationMs: 1,
            intent: "",
            summary: "exit code 0",
        },
    };
}

function fold(records: readonly JournalRecord[]): Conversation {
    const conversation = new Conversation();
    for (const record of records) conversation.apply(record);
    return conversation;
}

/** Any number of exchanges, each with any number of tool rounds. */
const exchanges = fc
    .array(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }), {
        minLength: 1,
        maxLength: 12,
    })
    .map((turns) =>
        turns.flatMap((rounds, turn): JournalRecord[] => [
            user(`u${turn}`, turn === 0 ? "No semicolons!" : `Question ${turn}`),
            ...rounds.flatMap((count, round) => {
                const callIds = Array.from({ length: count }, (_, n) => `${turn}-${round}-${n}`);
                return [
                    reply(`a${turn}-${round}`, callIds),
                    ...callIds.map((callId) => result(callId)),
                ];
            }),
            reply(`a${turn}`, []),
        ])
    );

function summaryRecord(conversation: Conversation, keepLast: number): JournalRecord | undefined {
    const place = firstKeptMessage(conversation, { keepLast });
    if (!place) return undefined;
    const facts = factsBefore(conversation.entries, place.entryId, 100_000);
    const text = summaryText({ root: "/project", summary: SUMMARY, facts, reminders: [] });
    return { type: "rolling_summary_set", summary: text, keepFrom: place.entryId, at: 1 };
}

function openCalls({ messages }: Conversation): string[] {
    return messages.flatMap((message, index) => {
        if (message.role !== "assistant") return [];
        const next = messages[index + 1];
        const answered = next?.role === "tool" ? next.content.map(({ callId }) => callId) : [];
        const called = message.content.flatMap((part) =>
            part.type === "tool-call" ? part.callId : []
        );
        return called.join() === answered.join() ? [] : [`message ${index}`];
    });
}

describe("Summaries", () => {
    it("Results stay with their calls, and the last messages and the first request survive two summaries", () => {
        fc.assert(
            fc.property(
                exchanges,
                exchanges,
                fc.integer({ min: 1, max: 12 }),
                (before, after, keepLast) => {
                    const records = [...before];
                    for (const more of [[], after]) {
                        const renamed = more.map((record): JournalRecord => renameEntry(record));
                        records.push(...renamed);
                        const conversation = fold(records);
                        const wanted = conversation.messages.slice(-keepLast);
                        const record = summaryRecord(conversation, keepLast);
                        if (record === undefined) continue;
                        records.push(record);
                        conversation.apply(record);
                        expect(openCalls(conversation)).to.deep.equal([]);
                        expect(conversation.messages[0]?.role).to.equal("user");
                        expect(conversation.messages[1]?.role).not.to.equal("tool");
                        expect(conversation.messages.slice(-keepLast)).to.deep.equal(wanted);
                        expect(JSON.stringify(conversation.messages)).to.contain("No semicolons!");
                        expect(fold(records).messages).to.deep.equal(conversation.messages);
                    }
                }
            )
        );
    });

    it("A second summary never cuts at the same place", () => {
        fc.assert(
            fc.property(exchanges, fc.integer({ min: 1, max: 12 }), (records, keepLast) => {
                const conversation = fold(records);
                const record = summaryRecord(conversation, keepLast);
                if (record === undefined) return;
                conversation.apply(record);
                expect(firstKeptMessage(conversation, { keepLast })).to.equal(undefined);
            })
        );
    });

    it("A summary shortens the recent messages that it keeps when space is short, but never the last exchange", () => {
        const long = "x".repeat(4_000);
        const conversation = fold([
            user("u", "Read"),
            reply("a", ["1"]),
            result("1", long),
            reply("b", ["2"]),
            result("2", long),
        ]);
        const keep = (maxKeptTokens: number) =>
            firstKeptMessage(conversation, { keepLast: 10, maxKeptTokens })?.entryId;
        expect(keep(100_000)).to.equal("a");
        expect(keep(1_500)).to.equal("b");
        expect(keep(10)).to.equal("b");
        expect(firstKeptMessage(conversation, { keepLast: 10 })).to.equal(undefined);
    });
});

let renamed = 0;

function renameEntry(record: JournalRecord): JournalRecord {
    if (record.type !== "entry_added") return record;
    renamed += 1;
    return { ...record, entry: { ...record.entry, id: `later-${renamed}` } };
}

describe("Facts in a summary", () => {
    it("The facts list the recorded files and commands with their final outcome", () => {
        const change = (
            id: string,
            path: string,
            beforeHash: string | null,
            afterHash: string | null,
            undoes?: string[]
        ): JournalRecord => ({
            type: "entry_added",
            entry: {
                kind: "change",
                id,
                at: 1,
                files: [{ path, beforeHash, afterHash }],
                ...(undoes ? { undoes } : {}),
            },
        });
        const { entries } = fold([
            user("u", "Go"),
            reply("a", ["1", "2"]),
            {
                type: "entry_added",
                entry: {
                    kind: "review",
                    id: "v",
                    at: 1,
                    callId: "1",
                    subject: "shell",
                    status: "approved",
                    decidedBy: "user",
                    what: "npm test",
                },
            },
            result("1"),
            change("c1", "a.ts", null, "1"),
            change("c2", "b.ts", "1", "2"),
            change("c3", "b.ts", "2", "1", ["c2"]),
            change("c4", "c.ts", "1", null),
            user("u2", "More"),
            change("c5", "later.ts", null, "1"),
        ]);
        const facts = factsBefore(entries, "u2", 100_000);
        expect(facts.commands).to.deep.equal(["npm test (exit code 0)"]);
        expect(facts.files).to.deep.equal([
            { path: "a.ts", what: "created" },
            { path: "b.ts", what: "undone by the user" },
            { path: "c.ts", what: "deleted" },
        ]);
        expect(facts.userMessages).to.deep.equal(["Go"]);
    });

    it("The facts quote the user's first and last messages within their limits", () => {
        fc.assert(
            fc.property(
                fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 40 }),
                fc.integer({ min: 8_000, max: 200_000 }),
                (lengths, contextTokens) => {
                    const records = lengths.map((length, index) =>
                        user(`u${index}`, `${index}:${"x".repeat(length)}`)
                    );
                    const { entries } = fold(records);
                    const { userMessages, omittedMessages } = factsBefore(
                        entries,
                        "",
                        contextTokens
                    );
                    expect(userMessages[0]).to.match(/^0:x/);
                    expect(userMessages.length + omittedMessages).to.equal(lengths.length);
                    expect(userMessages.join("").length).to.be.at.most(20_000 * 3.5);
                    expect(userMessages.join("").length).to.be.at.most(contextTokens * 0.15 * 3.5);
                }
            )
        );
    });
});

describe("The request for a summary", () => {
    it("The request for a summary fits the model's context for any history", () => {
        fc.assert(
            fc.property(
                fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 20 }),
                fc.integer({ min: 4_000, max: 100_000 }),
                (lengths, contextTokens) => {
                    const { messages } = fold(
                        lengths.flatMap((length, index) => [
                            user(`u${index}`, "x".repeat(length)),
                            reply(`a${index}`, [`${index}`]),
                            result(`${index}`, "y".repeat(length)),
                        ])
                    );
                    const model = { ...scriptedModelInfo, contextTokens };
                    const context = new SentContext();
                    const request = summaryRequest({
                        model,
                        conversationId: "c",
                        messages,
                        context,
                    });
                    expect(request.tools).to.deep.equal([]);
                    expect(estimateTokens(request) + request.maxOutputTokens).to.be.at.most(
                        contextTokens
                    );
                }
            ),
            { numRuns: 50 }
        );
    });
});

describe("The reply to a summary request", () => {
    const { goal, ...lists } = SUMMARY;
    const JSON_TEXT = JSON.stringify(SUMMARY);

    function understood(name: string, answer: string, expected: Partial<StructuredSummary> = {}) {
        it(name, () => {
            expect(parseSummary(answer)).to.deep.equal({ ...SUMMARY, ...expected });
        });
    }

    understood("A summary that is exactly the requested JSON is taken", JSON_TEXT);
    understood(
        "A summary in a fence after an introductory sentence is taken",
        `Here it is:\n\`\`\`json\n${JSON_TEXT}\n\`\`\``
    );
    understood(
        "A list that a summary leaves out is empty",
        JSON.stringify({ goal, decisions: SUMMARY.decisions })
    );
    understood(
        "A list that is null in a summary is empty",
        JSON.stringify({ ...SUMMARY, constraints: null, openTasks: null })
    );
    understood(
        "A list that is one string in a summary has one item",
        JSON.stringify({ ...SUMMARY, decisions: "Use fetch" })
    );
    understood(
        "Files that are objects in a summary become text",
        JSON.stringify({ ...SUMMARY, importantFiles: [{ path: "a.ts", why: "entry", line: 1 }] }),
        { importantFiles: ["a.ts: entry: 1"] }
    );
    understood(
        "Files that are the names of a map in a summary become text",
        JSON.stringify({ ...SUMMARY, importantFiles: { "a.ts": "entry", "b.ts": ["x", "y"] } }),
        { importantFiles: ["a.ts: entry", "b.ts: x: y"] }
    );
    understood(
        "Trailing commas in a summary are ignored",
        JSON_TEXT.replace('"Use fetch"]', '"Use fetch",],').replace(",,", ",").replace("}", ",}")
    );
    understood(
        "Braces in the text around a summary are ignored",
        `As {goal} asks: ${JSON_TEXT}\nI left out function main() { return 1; } and {}.`
    );
    understood(
        "A summary that was cut at the output limit keeps what came before",
        '{"goal": "Make it work", "decisions": ["Use fetch", "Retry {3} ti',
        { decisions: ["Use fetch", "Retry {3} ti"] }
    );
    understood("A summary in prose becomes the goal", "We make\nit work with fetch.", {
        goal: "We make\nit work with fetch.",
        decisions: [],
    });
    understood("A summary without a goal keeps its lists", JSON.stringify(lists), { goal: "" });

    it("A reply that says nothing is no summary", () => {
        for (const answer of ["", " \n", "{", "[]", "{}", '{"a": 1}', '{"goal": " "}']) {
            expect(parseSummary(answer), answer).to.equal(undefined);
        }
    });
});

describe("Token estimates", () => {
    const request = ({ messages }: Conversation) => ({
        model: scriptedModelInfo,
        system: "s",
        tools: [],
        messages,
        maxOutputTokens: 10,
        thinking: false,
        conversationId: "c",
    });

    it("The estimate is the last reported count plus an estimate of everything since", () => {
        const conversation = fold([user("u", "x".repeat(3_500)), reply("a", [], 123)]);
        expect(expectedTokens(request(conversation), conversation)).to.equal(123);
        conversation.apply(user("u2", "x".repeat(350)));
        expect(expectedTokens(request(conversation), conversation)).to.equal(123 + tokensOf(350));
    });

    it("Everything is estimated again when a new model or a summary invalidates the report", () => {
        const conversation = fold([user("u", "x".repeat(3_500)), reply("a", [], 123)]);
        conversation.apply({ type: "model_changed", provider: "p", model: "n", at: 1 });
        const sent = request(conversation);
        expect(expectedTokens(sent, conversation)).to.equal(estimateTokens(sent));
    });
});
