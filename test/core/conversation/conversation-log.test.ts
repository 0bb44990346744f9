import { expect } from "chai";
import { ConversationLog } from "../../../src/core/conversation/conversation-log.js";
import { silentLog } from "../../../src/core/log.js";
import type { JournalRecord } from "../../../src/plugin/records.js";

describe("Conversation log", () => {
    it("The last record of a conversation is its end, even while a turn is running", async () => {
        const records: JournalRecord[] = [];
        let synced = (): void => {};
        const journal = {
            append: (record: JournalRecord) => void records.push(record),
            sync: () => new Promise<void>((resolve) => (synced = resolve)),
            close: async () => {},
        };
        const log = new ConversationLog("abc123", {
            open: async () => ({ journal, records }),
            observers: [],
            log: silentLog,
        });
        await log.begin();
        const closing = log.close(1);
        expect(() => log.record({ type: "conversation_named", at: 2, name: "late" })).to.throw(
            "not open"
        );
        synced();
        await closing;
        expect(records.map(({ type }) => type)).to.deep.equal(["conversation_ended"]);
    });

    it("What is redacted is neither stored, nor sent to the model, nor told to observers", async () => {
        const stored: JournalRecord[] = [];
        const observed: JournalRecord[] = [];
        const log = new ConversationLog("abc123", {
            open: async () => ({
                journal: {
                    append: (record) => void stored.push(record),
                    sync: async () => {},
                    close: async () => {},
                },
                records: [],
            }),
            observers: [{ name: "watch", observe: (record) => void observed.push(record) }],
            log: silentLog,
            redact: (record) => JSON.parse(JSON.stringify(record).replaceAll("sk-live", "***")),
        });
        await log.begin();
        log.record({ type: "conversation_named", at: 1, name: "about sk-live" });
        expect(log.state.name).to.equal("about ***");
        expect(JSON.stringify([stored, observed])).not.to.contain("sk-live");
        expect(observed).to.deep.equal(stored);
    });

    it("A log that opens while the conversation ends is closed and not reopened", async () => {
        const done: string[] = [];
        const journal = {
            append: ({ type }: JournalRecord) => void done.push(type),
            sync: async () => {},
            close: async () => void done.push("closed"),
        };
        let opened = (): void => {};
        const opening = new Promise<void>((resolve) => (opened = resolve));
        const open = async () => {
            await opening;
            return { journal, records: [] };
        };
        const log = new ConversationLog("abc123", { open, observers: [], log: silentLog });
        const beginning = log.begin();
        const closing = log.close(1);
        opened();
        await Promise.all([beginning, closing]);
        expect(done).to.deep.equal(["conversation_ended", "closed"]);
        expect(await log.begin().catch((error: Error) => error.message)).to.contain("has ended");
    });
});
