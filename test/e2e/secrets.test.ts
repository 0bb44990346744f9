import { expect } from "chai";
import * as fs from "node:fs";
import path from "node:path";
import {
    failure,
    reply,
    startMessagesServer,
    text,
    toolUse,
    type MessagesServer,
} from "../helpers/messages-server.js";
import { Workplace } from "../helpers/north-program.js";
import { resultsIn } from "./requests.js";

/** Like no known form of a key, so that only who knows it can take it out. */
const KEY = "qZ7-plain-0123456789-withoutAnyForm";

describe("the provider's key", () => {
    let place: Workplace;
    let server: MessagesServer;

    beforeEach(() => {
        place = new Workplace({ "notes.txt": `the key is ${KEY}\n` });
    });
    afterEach(async () => {
        await server.close();
        await place.remove();
    });

    const env = () => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url });
    const flags = ["--approve-shell", "--log-level", "debug", "--output-format", "stream-json"];

    /** The requests without their headers, which is where the key belongs. */
    const sent = () => server.requests.map(({ raw }) => raw.toString("utf8")).join("\n");

    it("is not in the environment of commands", async () => {
        const command =
            "env; cat /proc/self/environ | tr '\\0' '\\n'; echo \"[$ANTHROPIC_API_KEY]\"";
        server = await startMessagesServer({
            script: [reply(toolUse("run_1", "shell_run", { command })), reply(text("ok"))],
        });
        const end = await place.run(["-p", "Work", ...flags], { env: env() });
        expect(end.code).to.equal(0);
        const { stdout } = resultsIn(server.requests[1]?.body).run_1?.data ?? {};
        expect(stdout).to.contain("[]\n").and.not.to.contain("ANTHROPIC_API_KEY=");
        expect(end.stdout + sent() + place.writtenAtHome()).not.to.contain(KEY);
    });

    it("is in no result, whatever a command or a file says", async () => {
        server = await startMessagesServer({
            script: [
                reply(
                    toolUse("read_1", "read_file", { path: "notes.txt" }),
                    toolUse("run_1", "shell_run", { command: "cat notes.txt; cat notes.txt >&2" })
                ),
                reply(text("ok")),
            ],
        });
        const end = await place.run(["-p", "Work", ...flags], { env: env() });
        expect(end.code).to.equal(0);
        const results = resultsIn(server.requests[1]?.body);
        expect(results.read_1?.data?.content).to.contain("the key is [");
        expect(results.run_1?.data?.stderr).to.contain("the key is [");
        expect(sent()).not.to.contain(KEY);
        expect(place.writtenAtHome()).not.to.contain(KEY);
    });

    it("is not in the log where the vendor repeats it", async () => {
        const refused = failure(400, "invalid_request_error", `The key ${KEY} is strange`);
        server = await startMessagesServer({ script: [refused] });
        const end = await place.run(["-p", "Work", ...flags], { env: env() });
        expect(end.code).to.equal(1);
        const log = fs.readFileSync(path.join(place.home, ".local/state/north/north.log"), "utf8");
        expect(log).to.contain("is strange");
        expect(place.writtenAtHome()).not.to.contain(KEY);
    });

    it("is in no result either when it is a stored one", async () => {
        server = await startMessagesServer({
            script: [
                reply(toolUse("read_1", "read_file", { path: "notes.txt" })),
                reply(text("ok")),
            ],
            apiKey: KEY,
        });
        await place.run(["login", "anthropic"], { stdin: { text: KEY } });
        const end = await place.run(["-p", "Work"], { env: { ANTHROPIC_BASE_URL: server.url } });
        expect(end.code).to.equal(0);
        expect(sent()).not.to.contain(KEY);
    });
});
