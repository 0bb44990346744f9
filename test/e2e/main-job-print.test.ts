import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import {
    close,
    CLOSING,
    editGreeting,
    editReadme,
    FILES,
    GREETED,
    OPENING,
    readThree,
    runPrint,
    runTouch,
} from "./main-job.js";
import { resultsIn, textsIn, unmarked } from "./requests.js";

describe("Main job in print mode", () => {
    let place: ClaudeWorkplace;

    beforeEach(() => {
        place = new ClaudeWorkplace(FILES);
    });
    afterEach(() => place.remove());

    it("A run reads, makes allowed edits, denies the rest, and continues later", async () => {
        await place.serve([readThree, editGreeting, runTouch, close, editReadme, runPrint, close]);
        const first = await place.run(["-p", "Greet in German", "--accept-edits"]);
        expect(first.stderr).to.contain("Denied: touch never.txt. `--approve-shell` allows");
        expect(first.stdout).to.equal(`${CLOSING}\n`);
        expect(first.code).to.equal(0);
        expect(place.files()).to.deep.equal({ ...FILES, "src/greeting.ts": GREETED });

        const [id = ""] = place.conversationIds();
        const second = await place.run(["resume", id, "-p", "And now?", "--approve-shell"]);
        expect(second.stderr).to.contain("Denied: README.md. `--accept-edits` allows");
        expect(second.stdout).to.equal(`${CLOSING}\n`);
        expect(second.code).to.equal(0);
        expect(place.files()).to.deep.equal({
            ...FILES,
            "src/greeting.ts": GREETED,
            "ran.txt": "ran\n",
        });

        place.server.assertDone();
        const results = resultsIn(place.server.requests.at(-1)?.body);
        expect(Object.keys(results)).to.deep.equal(
            ["read_1", "read_2", "read_3", "edit_1", "run_1", "edit_2", "run_2"] // each once
        );
        expect(results.read_3?.data).to.deep.include({ path: "notes.txt", totalLines: 2 });
        expect(results.edit_1?.data).to.deep.equal({
            applied: "all",
            files: [{ path: "src/greeting.ts", linesAdded: 1, linesRemoved: 1 }],
        });
        expect(results.run_1?.error?.code).to.equal("denied");
        expect(results.edit_2?.error?.code).to.equal("rejected");
        expect(results.run_2?.data).to.deep.include({
            stdout: "out\n",
            stderr: "err\n",
            exitCode: 0,
        });
        expect(textsIn(place.server.requests.at(-1)?.body)).to.include.members([
            "Greet in German",
            OPENING,
            CLOSING,
            "And now?",
        ]);
    });

    it("Each request extends the previous one, also across processes", async () => {
        await place.serve([readThree, editGreeting, close, runPrint, close]);
        const flags = ["--accept-edits", "--approve-shell"];
        await place.run(["-p", "Greet in German", ...flags]);
        const end = await place.run(["resume", "--last", "-p", "And now?", ...flags]);
        expect(end.code).to.equal(0);
        place.server.assertDone();
        const sent = place.server.requests.map(({ body }) => unmarked(body));
        sent.slice(1).forEach((messages, index) => {
            const before = sent[index] ?? [];
            expect(messages.slice(0, before.length)).to.deep.equal(before);
            expect(messages.length).to.be.greaterThan(before.length);
        });
        const fixed = place.server.requests.map(({ body }) =>
            JSON.stringify([body.model, body.system, body.tools])
        );
        expect(new Set(fixed).size).to.equal(1);
    });

    it("What a run writes outside the repository is for its user alone, whatever the umask", async () => {
        await place.serve([readThree, editGreeting, runTouch, close]);
        const flags = ["--accept-edits", "--approve-shell", "--contain", "auto", "--log-level"];
        const under = ["sh", "-c", 'umask 0; exec "$@"', "sh"];
        await place.run(["-p", "Greet in German", ...flags, "debug"], { under });
        place.server.assertDone();
        const written = readdirSync(place.home, { recursive: true, encoding: "utf8" });
        expect(written.filter((name) => name.endsWith(".jsonl"))).to.have.length.at.least(2);
        const open = written.filter((name) => {
            const stats = lstatSync(path.join(place.home, name));
            return !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0;
        });
        // What the test itself has made.
        const own =
            /^(?:\.config(?:\/north(?:\/config\.json)?)?|\.north(?:\/projects(?:\/\w+(?:\/declined\.json)?)?)?)$/;
        expect(open.filter((name) => !own.test(name))).to.deep.equal([]);
    });

    it("No process and no temporary file is left", async () => {
        await place.serve([runPrint, close]);
        await place.run(["-p", "Run it", "--approve-shell"]);
        place.server.assertDone();
        expect(place.files()["ran.txt"]).to.equal("ran\n");
        expect(place.processes()).to.deep.equal([]);
        expect(readdirSync(place.temporary)).to.deep.equal([]);
    });
});
