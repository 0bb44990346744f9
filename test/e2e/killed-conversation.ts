import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import type { JournalRecord } from "../../src/plugin/records.js";
import {
    reply,
    startMessagesServer,
    text,
    toolUse,
    type MessagesServer,
    type Reply,
    type VendorRequest,
} from "../helpers/vendors/messages-server.js";
import { eventually, Workplace, type RunningProgram } from "../helpers/north-program.js";
import { FILES, GREETED, ODD_PIECES, readThree } from "./main-job.js";
import { resultsIn, textsIn } from "./requests.js";

const EDITED = {
    "README.md": "# Other\n\nAn example.\n",
    "made/deep/new.txt": "new\n",
    "notes.txt": FILES["notes.txt"],
    "src/greeting.ts": GREETED,
};

const edit = (toolName: string, args: object) => ({ toolName, args });

/** Three files in one change: all of them are written, or none. */
const editAll: Reply = {
    ...reply(
        text("Editing — 三つ."),
        toolUse("edit_1", "edit_apply_batch", {
            edits: [
                edit("edit_replace_exact", {
                    path: "src/greeting.ts",
                    old: "hello",
                    new: "grüß dich 👋🏽",
                }),
                edit("edit_replace_exact", { path: "README.md", old: "Project", new: "Other" }),
                edit("edit_create_file", { path: "made/deep/new.txt", content: "new\n" }),
            ],
        })
    ),
    ...ODD_PIECES,
};

const runEcho = reply(toolUse("run_1", "shell_run", { command: "echo one; echo two >&2" }));

/** It never ends, so that every moment of the conversation can still be killed. */
const endless: Reply = {
    ...reply(text("Done: 完了 ✅, or is it not?")),
    interruption: { afterEvents: 4, how: "stall" },
};

/** Reads, a change of three files, a command, and an answer that stays unfinished. */
export const WHOLE_JOB: readonly Reply[] = [readThree, editAll, runEcho, endless];

/** A conversation that is killed somewhere and has to go on as if nothing had happened. */
export class KilledConversation {
    readonly place = new Workplace(FILES).reusingProcess();
    private readonly servers: MessagesServer[] = [];
    private readonly watchers: fs.FSWatcher[] = [];

    async serve(
        script: readonly Reply[],
        onRequest?: (count: number) => void
    ): Promise<MessagesServer> {
        let count = 0;
        const server = await startMessagesServer({
            script() {
                count += 1;
                onRequest?.(count);
                return script[count - 1];
            },
        });
        this.servers.push(server);
        return server;
    }

    start(server: MessagesServer, ...args: string[]): RunningProgram {
        return this.place.start(...whole(server, args));
    }

    /** Calls back at each change in the folders, which are made if they are missing. */
    watch(folders: readonly string[], onChange: () => void): void {
        for (const folder of folders) {
            fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
            this.watchers.push(fs.watch(folder, onChange));
        }
    }

    /** Whether anything was said before the kill came. */
    hasBegun(): boolean {
        const [id] = this.place.conversationIds();
        return id !== undefined && this.place.records(id).length > 0;
    }

    /** The one conversation there is. */
    id(): string {
        const ids = this.place.conversationIds();
        expect(ids).to.have.lengthOf(1);
        return ids[0] ?? "";
    }

    /** Whole lines of the log; what a kill has torn does not count. */
    log(): string {
        const log = fs.readFileSync(this.place.conversationFile(this.id()), "utf8");
        return log.slice(0, log.lastIndexOf("\n") + 1);
    }

    async expectKilled(program: RunningProgram): Promise<void> {
        const { signal, stderr } = await program.ended;
        expect({ signal, stderr }).to.deep.equal({ signal: "SIGKILL", stderr: "" });
    }

    /** Goes on after the kill, and holds everything against what had been stored before it. */
    async expectToGoOn(): Promise<void> {
        const stored = this.log();
        const server = await this.serve([reply(text("gone on"))]);
        const end = await this.place.run(...whole(server, ["resume", this.id(), "-p", "go on"]));
        const expected = { code: 0, signal: null, stdout: "gone on\n", stderr: "" };
        expect(end).to.deep.equal(expected);
        // The server refuses a request in which a call has no result, or two.
        server.assertDone();
        const records = parse(stored);
        expectNothingLost(records, server.requests[0]?.body);
        expect(this.log().startsWith(stored)).to.equal(true);
        this.expectWholeOrNothing(records);
        this.expectNoStrayFiles();
        await this.expectNothingLeft();
    }

    /** Whatever the edit wrote can be taken back; resolves with whether it wrote anything. */
    async undoIfEdited(): Promise<boolean> {
        const { place } = this;
        if (!("made/deep/new.txt" in place.files())) return false;
        const { code, stderr } = await place.run(["undo", "--force"]);
        expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
        expect(place.files()).to.deep.equal(FILES);
        return true;
    }

    async expectNothingLeft(): Promise<void> {
        const { place } = this;
        await eventually(() => place.processes().length === 0, "the end of all processes");
        await eventually(() => fs.readdirSync(place.temporary).length === 0, "no temporary files");
    }

    async close(): Promise<void> {
        for (const watcher of this.watchers) watcher.close();
        for (const server of this.servers) await server.close();
        await this.place.remove();
    }

    private expectNoStrayFiles(): void {
        for (const folder of [this.place.home, this.place.repository]) {
            const names = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
            const strays = names.filter((name) => /\.(?:tmp|lock|holder|staged|kept)$/.test(name));
            expect(strays).to.deep.equal([]);
        }
    }

    private expectWholeOrNothing(records: readonly JournalRecord[]): void {
        const entries = entriesOf(records);
        const isDone = entries.some(
            (one) => one.kind === "tool_result" && one.ok && one.name.startsWith("edit")
        );
        const isAllowed = entries.some((one) => one.kind === "review");
        const files = this.place.files();
        const allowed = [...(isDone ? [] : [FILES]), ...(isAllowed ? [EDITED] : [])];
        expect(allowed, JSON.stringify(files)).to.deep.include(files);
        expect(fs.existsSync(this.place.place("made"))).to.equal("made/deep/new.txt" in files);
        const applying = path.join(this.place.data, "applying");
        const journals = fs.existsSync(applying) ? fs.readdirSync(applying) : [];
        expect(journals.filter((name) => name.endsWith(".jsonl"))).to.deep.equal([]);
    }
}

/** With everything allowed, and the server's address. */
function whole({ url }: MessagesServer, args: readonly string[]) {
    const env = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: url };
    return [[...args, "--accept-edits", "--approve-shell"], { env }] as const;
}

function expectNothingLost(
    records: readonly JournalRecord[],
    request: VendorRequest | undefined
): void {
    const texts = textsIn(request);
    const everything = texts.join("\n");
    const results = resultsIn(request);
    for (const entry of entriesOf(records)) {
        if (entry.kind === "user") expect(texts).to.include(entry.text);
        if (entry.kind === "tool_result") {
            expect(results[entry.callId]).to.deep.equal(JSON.parse(entry.content));
        }
    }
    for (const record of records) {
        if (record.type !== "entry_updated") continue;
        expect(everything).to.include(record.appendText ?? "");
        for (const part of record.changes?.content ?? []) {
            if (part.type === "text") expect(everything).to.include(part.text);
            if (part.type === "tool-call") expect(results).to.have.property(part.callId);
        }
    }
    expect(texts.at(-1)).to.equal("go on");
}

function entriesOf(records: readonly JournalRecord[]) {
    return records.flatMap((record) => (record.type === "entry_added" ? record.entry : []));
}

function parse(log: string): JournalRecord[] {
    const lines = log.split("\n").slice(0, -1);
    return lines.map((line): JournalRecord => JSON.parse(line));
}
