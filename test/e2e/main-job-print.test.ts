import { readdirSync } from "node:fs";
import { expect } from "chai";
import { startMessagesServer, type MessagesServer } from "../helpers/messages-server.js";
import { Workplace } from "../helpers/north-program.js";
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

describe("the main job in print mode", () => {
    let place: Workplace;
    let server: MessagesServer;

    beforeEach(() => {
        place = new Workplace(FILES);
    });
    afterEach(async () => {
        await server.close();
        await place.remove();
    });

    const env = () => ({ ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url });

    it("reads, edits what was allowed, denies what was not, and goes on where it was", async () => {
        server = await startMessagesServer({
            script: [readThree, editGreeting, runTouch, close, editReadme, runPrint, close],
            apiKey: "test-key",
        });
        const first = await place.run(["-p", "Greet in German", "--accept-edits"], { env: env() });
        expect(first.stderr).to.contain("Denied: touch never.txt (--approve-shell allows");
        expect(first.stdout).to.equal(`${CLOSING}\n`);
        expect(first.code).to.equal(0);
        expect(place.files()).to.deep.equal({ ...FILES, "src/greeting.ts": GREETED });

        const [id = ""] = place.conversationIds();
        const second = await place.run(["resume", id, "-p", "And now?", "--approve-shell"], {
            env: env(),
        });
        expect(second.stderr).to.contain("Denied: README.md (--accept-edits allows");
        expect(second.stdout).to.equal(`${CLOSING}\n`);
        expect(second.code).to.equal(0);
        expect(place.files()).to.deep.equal({
            ...FILES,
            "src/greeting.ts": GREETED,
            "ran.txt": "ran\n",
        });

        server.assertDone();
        const results = resultsIn(server.requests.at(-1)?.body);
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
        expect(textsIn(server.requests.at(-1)?.body)).to.include.members([
            "Greet in German",
            OPENING,
            CLOSING,
            "And now?",
        ]);
    });

    it("extends each request by what came since, also across processes", async () => {
        server = await startMessagesServer({
            script: [readThree, editGreeting, close, runPrint, close],
        });
        const flags = ["--accept-edits", "--approve-shell"];
        await place.run(["-p", "Greet in German", ...flags], { env: env() });
        const end = await place.run(["resume", "--last", "-p", "And now?", ...flags], {
            env: env(),
        });
        expect(end.code).to.equal(0);
        server.assertDone();
        const sent = server.requests.map(({ body }) => unmarked(body));
        sent.slice(1).forEach((messages, index) => {
            const before = sent[index] ?? [];
            expect(messages.slice(0, before.length)).to.deep.equal(before);
            expect(messages.length).to.be.greaterThan(before.length);
        });
        const fixed = server.requests.map(({ body }) =>
            JSON.stringify([body.model, body.system, body.tools])
        );
        expect(new Set(fixed).size).to.equal(1);
    });

    it("leaves no process and nothing temporary behind", async () => {
        server = await startMessagesServer({ script: [runPrint, close] });
        await place.run(["-p", "Run it", "--approve-shell"], { env: env() });
        server.assertDone();
        expect(place.files()["ran.txt"]).to.equal("ran\n");
        expect(place.processes()).to.deep.equal([]);
        expect(readdirSync(place.temporary)).to.deep.equal([]);
    });
});
