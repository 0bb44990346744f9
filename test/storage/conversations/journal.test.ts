import { expect } from "chai";
import fc from "fast-check";
import {
    appendFileSync,
    existsSync,
    readFileSync,
    statSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import type { JournalRecord } from "../../../src/plugin/records.js";
import { openJournal, readJournal } from "../../../src/storage/conversations/open-journal.js";
import { startChild } from "../children.js";
import { expectError } from "../expect-error.js";
import { withReadOnlyFolder } from "../ordinary-user.js";
import { added, replyEntry, userEntry } from "../samples.js";
import { temporaryFolder } from "../temporary-folder.js";

describe("openJournal", () => {
    const folder = temporaryFolder();
    const file = () => path.join(folder(), "conversations", "abc123.jsonl");

    async function write(records: readonly JournalRecord[], create = true) {
        const journal = openJournal(file(), { create });
        for (const record of records) journal.append(record);
        await journal.sync();
        await journal.close();
    }

    it("A new journal is a private file in a private folder with one line per record", async () => {
        const records = [added(userEntry("one\ntwo")), added(replyEntry("three \u2028 ü 🧭"))];
        await write(records);
        expect(statSync(file()).mode & 0o777).to.equal(0o600);
        expect(statSync(path.dirname(file())).mode & 0o777).to.equal(0o700);
        expect(readFileSync(file(), "utf8").split("\n")).to.have.length(3);
        expect((await readJournal(file())).records).to.deep.equal(records);
    });

    it("Creating refuses an existing file, and opening refuses a missing one", async () => {
        expect(() => openJournal(file(), { create: false })).to.throw("no such file");
        await write([]);
        expect(() => openJournal(file(), { create: true })).to.throw("EEXIST");
    });

    it("A record of any length is read in linear time: each read is as long as all before", async () => {
        await write([added(userEntry("x".repeat(32 * 1024 * 1024)))]);
        const handle = await open(file());
        await handle.close();
        const handles: { read: (...args: unknown[]) => unknown } = Object.getPrototypeOf(handle);
        const { read } = handles;
        let reads = 0;
        handles.read = function (...args) {
            reads += 1;
            return read.apply(this, args);
        };
        try {
            expect((await readJournal(file())).records).to.have.length(1);
        } finally {
            handles.read = read;
        }
        expect(reads).to.be.within(1, 18);
    });

    it("A record with a path outside the project, or a time that is none, is damaged", async () => {
        const change = (path: string, at = 1) => ({
            type: "entry_added",
            entry: {
                kind: "drafted",
                id: "d",
                at,
                files: [{ path, beforeHash: null, afterHash: null }],
            },
        });
        const damaged = ["../a", "/a", "a/../b", "..", ".", "", "a//b", "./a", "a/", "a/..", "a\0"];
        const fine = ["a", ".a", "..a", "a/...", "a b/\n.c", "a/.b./c"];
        const all = [...damaged, ...fine].map((path) => change(path));
        await write([]);
        for (const record of [...all, change("a", 1e300), change("a", -1)]) {
            appendFileSync(file(), `${JSON.stringify(record)}\n`);
        }
        const { records } = await readJournal(file());
        expect(records).to.deep.equal(fine.map((path) => change(path)));
    });

    it("A record after a torn line starts on a fresh line", async () => {
        const first = added(userEntry("first"));
        const last = added(userEntry("last"));
        await write([first]);
        appendFileSync(file(), '{"type":"entry_added","entry":{"kind":"us');
        await write([last], false);
        const { records, warnings } = await readJournal(file());
        expect(records).to.deep.equal([first, last]);
        expect(warnings).to.deep.equal([
            "1 line of abc123.jsonl could not be read and was skipped.",
        ]);
    });

    it("A full disk loses no record, and writing resumes once there is room", async () => {
        const child = startChild({ do: "fill-journal", file: file() }, 'ulimit -f 800; exec "$@"');
        expect(await child.ended()).to.equal(0);
        expect(child.lines.at(-1)).to.equal("disk-full");
        const count = child.lines.length - 1;
        expect(count).to.be.greaterThan(5);
        const last = added(userEntry("room again"));
        await write([last], false);
        const { records } = await readJournal(file());
        expect(records).to.have.length(count + 1);
        expect(records.at(-1)).to.deep.equal(last);
    });

    if (existsSync("/dev/full")) {
        it("A device without space is reported as a full disk", async () => {
            const journal = openJournal("/dev/full", { create: false });
            await expectError(() => journal.append(added(userEntry("x"))), "disk-full");
            await journal.close();
        });
    }

    it("A read-only place is reported as not writable", async () => {
        await withReadOnlyFolder(folder(), () =>
            expectError(() => openJournal(file(), { create: true }), "log-not-writable")
        );
    });

    it("A journal is never written through a link", async () => {
        const target = path.join(folder(), "target");
        const link = path.join(folder(), "link.jsonl");
        writeFileSync(target, "");
        symlinkSync(target, link);
        await expectError(() => openJournal(link, { create: false }), "log-not-writable");
    });
});

describe("readJournal", () => {
    const folder = temporaryFolder();
    const file = () => path.join(folder(), "abc123.jsonl");
    const lines = (...values: unknown[]) =>
        values.map((value) => `${JSON.stringify(value)}\n`).join("");

    it("Records of an unknown kind are skipped with one notice", async () => {
        const known = added(userEntry("known"));
        const unknown = { type: "branch_made", at: 1 };
        const unknownEntry = { type: "entry_added", entry: { kind: "poll", id: "x", at: 1 } };
        writeFileSync(file(), lines(unknown, known, unknown, unknownEntry));
        const { records, warnings } = await readJournal(file());
        expect(records).to.deep.equal([known]);
        expect(warnings).to.deep.equal([
            "3 lines of abc123.jsonl of an unknown kind (branch_made, entry_added/poll) were skipped.",
        ]);
    });

    it("A review of a kind that only a newer North asks about is read", async () => {
        const entry = { kind: "review", id: "r", at: 1, callId: "c", subject: "large-read" };
        const review = { ...entry, status: "approved", decidedBy: "user", what: "big.bin" };
        writeFileSync(file(), lines({ type: "entry_added", entry: review }));
        const { records, warnings } = await readJournal(file());
        expect(records).to.deep.equal([{ type: "entry_added", entry: review }]);
        expect(warnings).to.deep.equal([]);
    });

    it("JSON that is not a record is skipped", async () => {
        const good = added(replyEntry("good"));
        const reply = replyEntry("x");
        const bad = [
            null,
            7,
            [],
            {},
            { type: "entry_added" },
            { type: "entry_added", entry: { ...reply, content: "text" } },
            { type: "entry_added", entry: { ...reply, content: [null] } },
            { type: "entry_added", entry: { ...reply, content: [{ type: "tool-call" }] } },
            { type: "entry_added", entry: { ...reply, usage: { inputTokens: "many" } } },
            { type: "entry_added", entry: { ...reply, status: "constructor" } },
            { type: "entry_added", entry: { kind: "__proto__", id: 1 } },
            { type: "entry_updated", id: "x", appendText: 5 },
            { type: "entry_updated", id: "x", changes: { content: {} } },
            { type: "conversation_started", version: 1 },
        ];
        writeFileSync(file(), lines(...bad, good));
        const { records, warnings } = await readJournal(file());
        expect(records).to.deep.equal([good]);
        expect(warnings.join(" ")).to.contain(`could not be read`);
    });

    it("A line with invalid UTF-8 is not trusted", async () => {
        const good = added(userEntry("good"));
        const bytes = Buffer.from(lines(added(userEntry("rm -r ./x")), good));
        bytes[bytes.indexOf("./x")] = 0xff;
        writeFileSync(file(), bytes);
        const { records, warnings } = await readJournal(file());
        expect(records).to.deep.equal([good]);
        expect(warnings).to.have.length(1);
    });

    it("A log of a newer format is refused", async () => {
        const started = { type: "conversation_started", version: 2, id: "abc123", root: "/" };
        const rest = { rootHash: "", provider: "", model: "", at: 1 };
        writeFileSync(file(), lines({ ...started, ...rest }));
        await expectError(() => readJournal(file()), "log-too-new");
    });

    it("A torn last line is skipped silently, and a complete one without newline is read", async () => {
        const first = added(userEntry("first"));
        const second = added(userEntry("second"));
        const text = lines(first, second);
        writeFileSync(file(), text.slice(0, -10));
        expect(await readJournal(file())).to.deep.include({ records: [first], warnings: [] });
        writeFileSync(file(), text.slice(0, -1));
        expect((await readJournal(file())).records).to.deep.equal([first, second]);
    });

    it("Reading resumes where it ended", async () => {
        writeFileSync(file(), lines(added(userEntry("first"))));
        const { end } = await readJournal(file());
        const second = added(userEntry("second"));
        appendFileSync(file(), lines(second));
        expect((await readJournal(file(), { from: end })).records).to.deep.equal([second]);
    });

    it("A line longer than the read buffer is read", async () => {
        const records = [added(userEntry("é".repeat(5_000_000))), added(userEntry("after"))];
        writeFileSync(file(), lines(...records));
        expect((await readJournal(file())).records).to.deep.equal(records);
    });

    const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 40 }), {
        minLength: 1,
        maxLength: 12,
    });

    it("A log cut anywhere yields all its complete records", async () => {
        await fc.assert(
            fc.asyncProperty(texts, fc.nat(), async (contents, cut) => {
                const records = contents.map((text) => added(userEntry(text)));
                const bytes = Buffer.from(lines(...records));
                const kept = bytes.subarray(0, cut % (bytes.length + 1));
                writeFileSync(file(), kept);
                const complete = records.filter((_, index) => {
                    const end = Buffer.byteLength(lines(...records.slice(0, index + 1)));
                    return end - 1 <= kept.length;
                });
                const result = await readJournal(file());
                expect(result.records).to.deep.equal(complete);
                expect(result.warnings).to.deep.equal([]);
            }),
            { numRuns: 150 }
        );
    });

    it("Only the lines with damaged bytes are lost", async () => {
        const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), {
            minLength: 1,
            maxLength: 4,
        });
        await fc.assert(
            fc.asyncProperty(texts, damage, async (contents, hits) => {
                const records = contents.map((text) => added(userEntry(text)));
                const bytes = Buffer.from(lines(...records));
                const original = Buffer.from(bytes);
                for (const [position, byte] of hits) bytes[position % bytes.length] = byte;
                writeFileSync(file(), bytes);
                const { records: loaded } = await readJournal(file());
                const found = new Set(loaded.map((record) => JSON.stringify(record)));
                let start = 0;
                for (const record of records) {
                    const end = start + Buffer.byteLength(lines(record));
                    // A newline before or after it that is gone makes one line of two.
                    const from = Math.max(0, start - 1);
                    const isWhole = original.subarray(from, end).equals(bytes.subarray(from, end));
                    if (isWhole) expect(found.has(JSON.stringify(record))).to.equal(true);
                    start = end;
                }
                expect(readFileSync(file()).equals(bytes), "never rewritten").to.equal(true);
            }),
            { numRuns: 150 }
        );
    });
});
