import { expect } from "chai";
import {
    appendFileSync,
    existsSync,
    mkdirSync,
    readdirSync,
    readFileSync,
    rmSync,
    symlinkSync,
    utimesSync,
    writeFileSync,
} from "node:fs";
import path from "node:path";
import type { JournalRecord } from "../../../src/plugin/records.js";
import {
    type ConversationStore,
    createConversationStore,
} from "../../../src/storage/conversations/conversations.js";
import { projectHash } from "../../../src/storage/files/directories.js";
import { createObjectStore } from "../../../src/storage/files/object-store.js";
import { startChild } from "../children.js";
import { describeOwner } from "../../../src/base/owner.js";
import { expectError } from "../expect-error.js";
import { added, replyEntry, userEntry } from "../samples.js";
import { temporaryFolder } from "../temporary-folder.js";

describe("Conversation store", () => {
    const folder = temporaryFolder();
    const inFolder = (name: string) => path.join(folder(), "conversations", name);
    let store: ConversationStore;
    beforeEach(() => (store = createConversationStore(folder())));

    async function hold(id: string, records: readonly JournalRecord[], at = 1000) {
        const start = { id, root: "/work/project", provider: "anthropic", model: "sonnet", at };
        const { journal } = await store.start(start);
        for (const record of records) journal.append(record);
        await journal.close();
    }

    it("A new log begins with its header", async () => {
        const id = store.newId();
        expect(id).to.match(/^[0-9a-f]{6}$/);
        const start = { id, root: "/work/project", provider: "anthropic", model: "sonnet" };
        const { journal, started } = await store.start(start);
        await journal.close();
        expect(started).to.deep.include({
            ...start,
            version: 1,
            rootHash: projectHash(start.root),
        });
        expect(await store.read(id)).to.deep.include({ records: [started], warnings: [] });
    });

    it("A fork of itself, or of a file elsewhere, has only what is in its own log", async () => {
        const fork = async (id: string, forkedFrom: string, text: string) => {
            const start = { id, root: "/work/project", provider: "anthropic", model: "sonnet" };
            const from = { id: forkedFrom, bytes: 10_000 };
            const { journal } = await store.start({ ...start, forkedFrom: from });
            journal.append(added(userEntry(text)));
            await journal.close();
        };
        await fork("aaaaaa", "aaaaaa", "itself");
        await fork("bbbbbb", "cccccc", "one of two");
        await fork("cccccc", "bbbbbb", "the other");
        await fork("dddddd", "../elsewhere", "outside");
        const elsewhere = JSON.stringify(added(userEntry("elsewhere")));
        writeFileSync(path.join(folder(), "elsewhere.jsonl"), `${elsewhere}\n`);
        const texts = async (id: string) =>
            (await store.read(id)).records.flatMap((record) =>
                record.type === "entry_added" && record.entry.kind === "user"
                    ? record.entry.text
                    : []
            );
        expect(await texts("aaaaaa")).to.deep.equal(["itself"]);
        expect(await texts("bbbbbb")).to.deep.equal(["the other", "one of two"]);
        expect(await texts("dddddd")).to.deep.equal(["outside"]);
    });

    it("An existing log is continued", async () => {
        const more = added(userEntry("more"));
        await hold("abc123", []);
        const journal = await store.open("abc123");
        journal.append(more);
        await journal.close();
        expect((await store.read("abc123")).records.at(-1)).to.deep.equal(more);
    });

    it("A link that leads nowhere is not proposed in place of itself", async () => {
        await hold("abc124", []);
        symlinkSync("gone.jsonl", inFolder("abc123.jsonl"));
        const { nextSteps } = await expectError(() => store.open("abc123"), "no-such-conversation");
        expect(nextSteps.join("\n")).to.contain("abc124").and.not.to.contain("abc123");
    });

    it("An unknown id's error names similar ids", async () => {
        for (const id of ["abc123", "abc9ff", "000000"]) await hold(id, []);
        const error = await expectError(() => store.read("abc124"), "no-such-conversation");
        expect(error.nextSteps.join(" ")).to.contain("abc123").and.not.to.contain("000000");
        const short = await expectError(() => store.open("abc"), "no-such-conversation");
        expect(short.nextSteps.join(" ")).to.contain("abc123 or abc9ff");
    });

    it("Only a well-formed id is accepted", async () => {
        writeFileSync(path.join(folder(), "secret.jsonl"), "");
        await hold("abc123", []);
        for (const id of ["../secret", "", ".", "abc123/", "ABC123", "abc123\n", "abc123.jsonl"]) {
            await expectError(() => store.read(id), "no-such-conversation");
            await expectError(() => store.open(id), "no-such-conversation");
            await expectError(() => store.remove(id), "no-such-conversation");
        }
    });

    it("A conversation open here or in another North is neither appended to nor removed", async () => {
        await hold("abc123", []);
        const journal = await store.open("abc123");
        await expectError(() => store.open("abc123"), "conversation-in-use");
        await expectError(() => store.remove("abc123"), "conversation-in-use");
        await journal.close();

        const child = startChild({ do: "hold-conversation", dataFolder: folder(), id: "abc123" });
        await child.said(1);
        const error = await expectError(() => store.open("abc123"), "conversation-in-use");
        expect(error.message).to.contain(String(child.process.pid));
        await expectError(() => store.remove("abc123"), "conversation-in-use");
        await child.kill();
        const again = await store.open("abc123");
        await again.close();
        expect((await store.read("abc123")).records).to.have.length(2);
    });

    it("Another process with a reused pid does not hold the conversation", async () => {
        await hold("abc123", []);
        const holder = (await describeOwner()).split("-");
        holder.splice(1, 2, String(process.ppid), "before the machine was restarted");
        symlinkSync(holder.join("-"), inFolder("abc123.holder"));
        await (await store.open("abc123")).close();
        expect(existsSync(inFolder("abc123.holder"))).to.equal(false);
    });

    it("Removing a conversation removes everything that belongs to it", async () => {
        await hold("abc123", [added(userEntry("hello"))]);
        await hold("def456", []);
        await store.list();
        await store.remove("abc123");
        expect(readdirSync(inFolder("")).sort()).to.deep.equal(["def456.jsonl", "index.json"]);
        expect(readFileSync(inFolder("index.json"), "utf8")).not.to.contain("abc123");
        expect((await store.list()).map(({ id }) => id)).to.deep.equal(["def456"]);
    });

    it("A log that cannot be read keeps the contents of a removed conversation", async () => {
        const objects = createObjectStore(folder());
        const hash = await objects.put(Buffer.from("content"));
        const object = path.join(folder(), "objects", hash.slice(0, 2), hash.slice(2));
        utimesSync(object, 1000, 1000);
        await hold("abc123", []);
        mkdirSync(inFolder("def456.jsonl"));
        mkdirSync(inFolder("index.json"));
        const remove = () => store.remove("abc123");
        const { message, nextSteps } = await expectError(remove, "contents-kept");
        expect(message).to.match(/abc123 is deleted, but not the contents/);
        expect(nextSteps[0]).to.contain("def456.jsonl");
        expect(existsSync(object)).to.equal(true);
        rmSync(inFolder("def456.jsonl"), { recursive: true });
        await hold("abc124", []);
        await store.remove("abc124");
        expect(existsSync(object)).to.equal(false);
    });

    describe("list", () => {
        const reply = replyEntry("", { status: "streaming", at: 5000 });
        const records: JournalRecord[] = [
            added(userEntry("  Why is\n the sky  blue? ", { at: 4000 })),
            added(reply),
            { type: "entry_updated", id: reply.id, appendText: "Because" },
            { type: "entry_updated", id: reply.id, changes: { costUsd: 0.1 } },
            { type: "entry_updated", id: reply.id, changes: { costUsd: 0.2 } },
            { type: "model_changed", provider: "openai", model: "gpt-5.1", at: 6000 },
        ];
        const summary = {
            id: "abc123",
            root: "/work/project",
            provider: "openai",
            model: "gpt-5.1",
            startedAt: 1000,
            updatedAt: 6000,
            firstWords: "Why is the sky blue?",
            messageCount: 2,
            costUsd: 0.2,
            unpricedRequests: 0,
        };

        it("Without conversations the list is empty", async () => {
            expect(await store.list()).to.deep.equal([]);
        });

        it("The list shows titles, newest first", async () => {
            await hold("abc123", records);
            await hold("def456", [added(userEntry("x".repeat(500), { at: 9000 }))], 2000);
            const [newest, oldest] = await store.list();
            expect(newest?.id).to.equal("def456");
            expect(newest?.firstWords).to.equal(`${"x".repeat(79)}…`);
            expect(oldest).to.deep.equal(summary);
        });

        it("Replies without a known price are counted, whenever their tokens become known", async () => {
            const usage = { inputTokens: 1, outputTokens: 1 };
            const updated = { type: "entry_updated", id: reply.id, changes: { usage } } as const;
            await hold("abc123", [added(reply), updated, added(replyEntry("ok", { usage }))]);
            await hold("def456", [added(replyEntry("ok", { usage, costUsd: 0.1 }))]);
            const counts = (await store.list()).map(({ id, unpricedRequests, costUsd }) => ({
                ...{ id, unpricedRequests, costUsd },
            }));
            expect(counts).to.have.deep.members([
                { id: "abc123", unpricedRequests: 2, costUsd: 0 },
                { id: "def456", unpricedRequests: 0, costUsd: 0.1 },
            ]);
        });

        it("A conversation costs what its nested runs cost too, and a fork says what it is of", async () => {
            const start = { root: "/work/project", provider: "anthropic", model: "sonnet" };
            await hold("abc123", records);
            const nested = { by: "delegate", parent: "abc123" };
            for (const [id, more] of [
                ["bbbbbb", { nested }],
                ["cccccc", { nested }],
                ["dddddd", { forkedFrom: { id: "abc123", bytes: 10 } }],
            ] as const) {
                const { journal } = await store.start({ ...start, id, ...more });
                if ("nested" in more) for (const record of records) journal.append(record);
                await journal.close();
            }
            const listed = (await store.list()).map((each) => [
                ...[each.id, each.firstWords, each.costUsd, each.unpricedRequests],
            ]);
            const { firstWords, unpricedRequests } = summary;
            expect(listed).to.have.deep.members([
                ["abc123", firstWords, 0.6, 3 * unpricedRequests],
                ["dddddd", "fork of abc123", 0, 0],
            ]);
        });

        it("The list works without an index and with a damaged or foreign one", async () => {
            await hold("abc123", records);
            const contents = [
                "",
                "{",
                "[]",
                '{"version":1,"conversations":{"abc123":{"summary":null}}}',
                '{"version":1,"conversations":{"abc123":{"summary":{"id":"abc123"},"bytes":1}}}',
                '{"version":99,"conversations":{}}',
            ];
            for (const content of contents) {
                writeFileSync(inFolder("index.json"), content);
                expect(await store.list(), content).to.deep.equal([summary]);
            }
            rmSync(inFolder("index.json"));
            expect(await store.list()).to.deep.equal([summary]);
        });

        it("Logs and an index that cannot be read cost one warning, and the rest is listed", async () => {
            await hold("abc123", records);
            mkdirSync(inFolder("def456.jsonl"));
            symlinkSync("123456.jsonl", inFolder("123456.jsonl"));
            mkdirSync(inFolder("index.json"));
            for (const _time of ["first", "again"]) {
                const warnings: string[] = [];
                const report = (warning: string) => warnings.push(warning);
                expect(await store.list({ report })).to.deep.equal([summary]);
                expect(warnings).to.have.lengthOf(1);
                expect(warnings[0])
                    .to.contain("index.json")
                    .and.contain("def456.jsonl")
                    .and.contain("123456.jsonl");
            }
        });

        it("A list that is cancelled keeps what was read until then", async () => {
            for (let count = 0; count < 200; count += 1) {
                await hold(count.toString(16).padStart(6, "0"), []);
            }
            const controller = new AbortController();
            const seen: number[] = [];
            const progress = (read: number, total: number) => {
                seen.push(total);
                controller.abort(new Error("cancelled"));
            };
            const { signal } = controller;
            const failure = await store.list({ signal, progress }).catch((error: unknown) => error);
            expect(failure).to.equal(signal.reason);
            expect(
                await store.list({ progress: (_read, total) => seen.push(total) })
            ).to.have.lengthOf(200);
            expect(seen[0]).to.equal(200);
            expect(seen[1]).to.be.lessThan(151);
        });

        it("The index catches up when a log has grown, also in the middle of a reply", async () => {
            await hold("abc123", records.slice(0, 4));
            expect((await store.list())[0]).to.deep.include({ costUsd: 0.1, messageCount: 2 });
            const journal = await store.open("abc123");
            for (const record of records.slice(4)) journal.append(record);
            await journal.close();
            expect(await store.list()).to.deep.equal([summary]);
        });

        it("A replaced log is noticed, and unreadable lines are skipped", async () => {
            await hold("abc123", records);
            await store.list();
            const lines = readFileSync(inFolder("abc123.jsonl"), "utf8").split("\n");
            writeFileSync(inFolder("abc123.jsonl"), `${lines[0]}\nnot JSON\n${lines[1]}\n`);
            expect((await store.list())[0]).to.deep.include({ messageCount: 1, updatedAt: 4000 });
            appendFileSync(inFolder("abc123.jsonl"), `${lines[2]}\n{"torn`);
            expect((await store.list())[0]).to.deep.include({ messageCount: 2 });
        });

        it("Foreign and empty files are not listed", async () => {
            await hold("abc123", records);
            writeFileSync(inFolder("notes.jsonl"), JSON.stringify(records[0]));
            writeFileSync(inFolder("000000.jsonl"), "");
            expect(await store.list()).to.deep.equal([summary]);
        });
    });
});
