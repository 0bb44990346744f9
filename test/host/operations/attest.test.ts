import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";

import {
    type CommitPlace,
    printedReceipt,
    receiptOf,
    verifyNote,
    writeNote,
} from "../../../src/host/operations/attest.js";
import { blameFile, blameText } from "../../../src/host/operations/blame-file.js";
import { readNote } from "../../../src/core/history/read-note.js";
import { createSeenMarks } from "../../../src/storage/seen-marks.js";
import { EditedRepository } from "../../helpers/edited-repository.js";
import { restoreEnvironment } from "../../helpers/environment.js";
import { patient } from "../../helpers/patience.js";

describe("The receipt of a commit", () => {
    let repository: EditedRepository;
    let place: CommitPlace;
    const who = { GIT_AUTHOR_NAME: "Ann", GIT_AUTHOR_EMAIL: "ann@example.org" };
    const env = {
        ...process.env,
        ...{ ...who, GIT_COMMITTER_NAME: "Ann", GIT_COMMITTER_EMAIL: "ann@example.org" },
    };

    function git(words: readonly string[], input = "", cwd = repository.root): string {
        return execFileSync("git", words, {
            ...{ cwd, env, input, encoding: "utf8" },
            stdio: ["pipe", "pipe", "ignore"],
        });
    }

    beforeEach(async () => {
        repository = new EditedRepository();
        place = { dataFolder: repository.data, folder: repository.root, name: "HEAD" };
        git(["init", "-qb", "main"]);
        git(["config", "user.name", "Ann"]);
        git(["config", "user.email", "ann@example.org"]);
        repository.write("a.txt", "mine\n");
        git(["add", "."]);
        git(["commit", "-qm", "First"]);
        repository.say("first");
        await repository.edit({ "a.txt": "mine\nseen\nunseen\n" }, {}, { shown: { "a.txt": "2" } });
        repository.say("second");
        await repository.edit({ "b ü.txt": "auto\n" }, {}, { decidedBy: "policy" });
        git(["add", "."]);
        git(["commit", "-qm", "Second"]);
        repository.say("third");
        await repository.edit({ "a.txt": "later\n" });
        await repository.store();
    });
    afterEach(() => repository.remove());

    const note = () => git(["notes", "--ref=ai", "show", "HEAD"]);

    it("Lines are listed by model and turn, seen or not, as they were in the commit", async () => {
        const text = printedReceipt(await receiptOf(place), "text", "1.0.0");
        expect(text).to.match(/^[0-9a-f]{10}: 3 lines by models, 2 unseen\n/);
        expect(text).to.match(/a\.txt:2 +scripted\/scripted-1 +aaaaaa #1 +seen\n/);
        expect(text).to.match(/a\.txt:3 +scripted\/scripted-1 +aaaaaa #1 +unseen\n/);
        expect(text).to.match(/b ü\.txt:1 +scripted\/scripted-1 +aaaaaa #2 +unseen$/);
        const first = await receiptOf({ ...place, name: "HEAD^" });
        expect(first.files).to.deep.equal([]);
    });

    it("Files of the commit that no model wrote are not read: there may be thousands", async () => {
        repository.write("imported.txt", "theirs\n");
        git(["add", "."]);
        git(["commit", "-q", "--amend", "-m", "Second"]);
        const bin = path.join(repository.top, "bin");
        const calls = path.join(repository.top, "calls");
        const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
        mkdirSync(bin);
        const script = `#!/bin/sh\necho "$*" >> '${calls}'\nexec '${real}' "$@"\n`;
        writeFileSync(path.join(bin, "git"), script, { mode: 0o755 });
        const before = { ...process.env };
        process.env.PATH = `${bin}:${before.PATH}`;
        try {
            expect((await receiptOf(place)).files).to.have.lengthOf(2);
        } finally {
            restoreEnvironment(before);
        }
        const read = readFileSync(calls, "utf8");
        expect(read).to.contain("a.txt").and.not.to.contain("imported.txt");
    });

    it("The note has the form of Git AI's authorship logs, and another clone reads the same bytes", async () => {
        const receipt = await receiptOf(place);
        await writeNote(place, receipt);
        const [attested = "", metadata = ""] = note().split("\n---\n");
        const rows = attested.split("\n");
        expect(rows.filter((row) => !row.startsWith(" "))).to.deep.equal(["a.txt", '"b ü.txt"']);
        const entries = rows.filter((row) => row.startsWith(" "));
        for (const row of entries) {
            expect(row).to.match(/^ {2}s_[0-9a-f]{14}::t_[0-9a-f]{14} \d+(-\d+)?(,\d+(-\d+)?)*$/);
        }
        const log = JSON.parse(metadata);
        expect(log).to.include({ schema_version: "authorship/3.0.0" });
        expect(log.base_commit_sha).to.equal(git(["rev-parse", "HEAD^"]).trim());
        expect(log.prompts).to.deep.equal({});
        for (const row of entries) {
            const [session = "", trace = ""] = row.trim().split(" ")[0]!.split("::");
            const agent = { tool: "north", id: "aaaaaa", model: "scripted-1" };
            expect(log.sessions[session]).to.deep.equal({ agent_id: agent });
            expect(log.north.traces[trace].model).to.equal("scripted/scripted-1");
        }
        const clone = path.join(repository.top, "clone");
        git(["clone", "-q", repository.root, clone]);
        git(["fetch", "-q", "origin", "refs/notes/ai:refs/notes/ai"], "", clone);
        expect(git(["notes", "--ref=ai", "show", "HEAD"], "", clone)).to.equal(note());
        const elsewhere = verifyNote({ ...place, folder: clone });
        expect(await elsewhere.catch((error) => error.code)).to.equal("not-verifiable");
    });

    it("In another clone `north blame` names the model that the note names, and of what tool", async () => {
        await writeNote(place, await receiptOf(place));
        const clone = path.join(repository.top, "clone");
        git(["clone", "-q", repository.root, clone]);
        const elsewhere = path.join(repository.top, "other-data");
        const before = blameText(await blameFile(elsewhere, "b ü.txt", clone));
        expect(before).to.match(/^1 +git [0-9a-f]{10} +\S+ \S+ +Ann +auto$/);
        git(["fetch", "-q", "origin", "refs/notes/ai:refs/notes/ai"], "", clone);
        git(["mv", "b ü.txt", "moved.txt"], "", clone);
        git(["commit", "-qm", "Move"], "", clone);
        const moved = await blameFile(elsewhere, "moved.txt", clone);
        expect(blameText(moved)).to.match(/ Ann, scripted-1 \(north, by its note\) +auto$/);
        const { lines } = await blameFile(elsewhere, "a.txt", clone);
        expect(lines.map(({ noted }) => noted?.model)).to.deep.equal([
            ...[undefined, "scripted-1", "scripted-1"],
        ]);
    });

    it("A note in an unknown format, or a hostile one, names nobody", () => {
        const metadata = '{"prompts": {"p": {"agent_id": {"tool": "t", "model": "m"}}}}';
        const whole = readNote(`src/a.ts\n  p 2-4,9\n---\n${metadata}`);
        expect(whole("src/a.ts", 9)).to.deep.equal({ tool: "t", model: "m" });
        expect(whole("src/a.ts", 5)).to.equal(undefined);
        expect(whole("src/b.ts", 2)).to.equal(undefined);
        const broken = [
            ...["", "---", "theirs", "\n---\n{", `  p 1\n---\n${metadata}`, `a\n  p 1\n---\n[]`],
            `a\n  p 1\n---\n{"prompts": {"p": {"agent_id": {"tool": 1, "model": null}}}}`,
            `a\n  __proto__ 1\n---\n${metadata}`,
            `"a\n  p x-y,--\n---\n${metadata}`,
        ];
        for (const note of broken) expect(readNote(note)("a", 1), note).to.equal(undefined);
    });

    it("A note needs the user's git identity, which may be in the environment, as on CI", async () => {
        const before = { ...process.env };
        Object.assign(process.env, { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" });
        try {
            git(["config", "user.useConfigOnly", "true"]);
            git(["config", "--unset", "user.name"]);
            git(["config", "--unset", "user.email"]);
            const receipt = await receiptOf(place);
            const code = await writeNote(place, receipt).catch((error) => error.code);
            expect(code).to.equal("no-git-identity");
            Object.assign(process.env, env);
            await writeNote(place, receipt);
            expect(git(["log", "-1", "--format=%cn", "refs/notes/ai"])).to.equal("Ann\n");
        } finally {
            restoreEnvironment(before);
        }
    });

    it("An Agent Trace record is valid against the published schema", async () => {
        const schema = JSON.parse(
            readFileSync("test/fixtures/agent-trace/trace-record.json", "utf8")
        );
        const validate = new Ajv2020({ validateFormats: false }).compile(schema);
        const record = JSON.parse(printedReceipt(await receiptOf(place), "agent-trace", "1.0.0"));
        expect(validate(record), JSON.stringify(validate.errors)).to.equal(true);
        expect(record.files[0].conversations[1]).to.deep.equal({
            contributor: { type: "ai", model_id: "scripted/scripted-1" },
            ranges: [{ start_line: 3, end_line: 3 }],
        });
        expect(validate({ ...record, files: undefined })).to.equal(false);
    });

    it("A note is valid until any one byte of it is changed", async function () {
        this.timeout(patient(120_000));
        await writeNote(place, await receiptOf(place));
        expect(await verifyNote(place)).to.include({ isTrue: true });
        const written = note().trimEnd();
        for (let at = 0; at < written.length; at += 97) {
            const other = written[at] === "x" ? "y" : "x";
            const changed = written.slice(0, at) + other + written.slice(at + 1);
            git(["notes", "--ref=ai", "add", "-f", "-F", "-", "HEAD"], `${changed}\n`);
            const verdict = await verifyNote(place);
            expect(verdict.isTrue, changed).to.equal(false);
            expect(verdict.wrong, changed).to.have.length.greaterThan(0);
        }
    });

    it("A mark made later is reported as a difference, and a new note is valid again", async () => {
        await writeNote(place, await receiptOf(place));
        const change = repository.changes.find(
            ({ change: { files } }) => files[0]?.path === "b ü.txt"
        );
        const id = change?.change.id ?? "";
        createSeenMarks(repository.data, repository.root).add({
            ...{ conversation: "aaaaaa", change: id, path: "b ü.txt", lines: "1" },
        });
        expect((await verifyNote(place)).isTrue).to.equal(false);
        await writeNote(place, await receiptOf(place));
        expect((await verifyNote(place)).isTrue).to.equal(true);
    });

    it("A note of another tool is kept, and a commit without one is reported", async () => {
        const refused = async (work: Promise<unknown>) =>
            work.then(
                () => "done",
                (error) => error.code
            );
        expect(await refused(verifyNote(place))).to.equal("no-note");
        git(["notes", "--ref=ai", "add", "-m", "theirs", "HEAD"]);
        expect(await refused(writeNote(place, await receiptOf(place)))).to.equal("note-exists");
        expect(note()).to.equal("theirs\n");
        expect(await refused(receiptOf({ ...place, name: "nowhere" }))).to.equal("no-such-target");
        const elsewhere = receiptOf({ ...place, folder: repository.top });
        expect(await refused(elsewhere)).to.equal("not-a-repository");
    });
});
