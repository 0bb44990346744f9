import { expect } from "chai";
import {
    failure,
    reply,
    startMessagesServer,
    text,
    type MessagesServer,
    type Reply,
} from "../helpers/vendors/messages-server.js";
import { Workplace } from "../helpers/north-program.js";

describe("a run that fails says why", () => {
    let place: Workplace;
    let server: MessagesServer | undefined;

    beforeEach(() => {
        place = new Workplace();
    });
    afterEach(async () => {
        await server?.close();
        server = undefined;
        await place.remove();
    });

    async function serve(...script: Reply[]): Promise<Record<string, string>> {
        server = await startMessagesServer({ script, apiKey: "right-key" });
        return { ANTHROPIC_API_KEY: "right-key", ANTHROPIC_BASE_URL: server.url };
    }

    it("names the variable and `north login` where there is no key", async () => {
        for (const args of [
            ["-p", "Hi"],
            ["-p", "Hi", "--model", "sonnet"],
        ]) {
            const end = await place.run(args);
            expect(end.code).to.equal(1);
            expect(end.stdout).to.equal("");
            expect(end.stderr).to.contain("ANTHROPIC_API_KEY").and.to.contain("`north login");
        }
        expect(place.conversationIds()).to.deep.equal([]);
    });

    it("names near models where one is unknown", async () => {
        const env = await serve();
        const end = await place.run(["-p", "Hi", "--model", "sonet-5"], { env });
        expect(end.code).to.equal(2);
        expect(end.stderr).to.match(/^There is no model called "sonet-5"\.\n.*\bsonnet\b/);
    });

    it("is wrongly used with flags that do not exist or make no sense", async () => {
        const wrong = [
            ["-p", "Hi", "--no-such-flag"],
            ["-p", "Hi", "--output-format", "xml"],
            ["-p", "Hi", "--mode", "yolo"],
            ["-p", "Hi", "--max-turns", "0"],
            ["-p", "Hi", "--max-turns", "many"],
            ["-p", "Hi", "--max-cost", "-1"],
            ["-p", "Hi", "--timeout", "soon"],
            ["nonsense"],
        ];
        for (const args of wrong) {
            const end = await place.run(args);
            expect([args, end.code, end.stdout]).to.deep.equal([args, 2, ""]);
            expect(end.stderr, args.join(" ")).not.to.match(/^ +at /m);
            expect(end.stderr, args.join(" ")).to.not.equal("");
        }
    });

    it("names the wrong flag and where the right ones are told", async () => {
        const end = await place.run(["-p", "Hi", "--no-such-flag"]);
        expect(end.stderr).to.contain("has no flag --no-such-flag");
        expect(end.stderr).to.contain("`north chat --help`").and.not.to.contain("USAGE");
    });

    it("says that the key is not accepted", async () => {
        const env = await serve();
        const end = await place.run(["-p", "Hi"], { env: { ...env, ANTHROPIC_API_KEY: "wrong" } });
        expect(end.code).to.equal(1);
        expect(end.stderr).to.match(/^Anthropic does not accept the key.*\n.*ANTHROPIC_API_KEY/);
    });

    it("waits and tries again when there are too many requests", async () => {
        const limited = failure(429, "rate_limit_error", "Slow down", { "retry-after": "0" });
        const env = await serve(limited, reply(text("at last")));
        const end = await place.run(["-p", "Hi"], { env });
        expect({ code: end.code, stdout: end.stdout }).to.deep.equal({
            code: 0,
            stdout: "at last\n",
        });
        expect(end.stderr).to.match(/rate limit.*Slow down.*Trying again in [\d.]+s \(1\)\.\n$/);
        server?.assertDone();
    });

    it("says in one sentence that nobody answers", async () => {
        const end = await place.run(["-p", "Hi"], { env: { ANTHROPIC_API_KEY: "key" } });
        expect(end.code).to.equal(1);
        expect(end.stderr).to.match(/^The connection to 127\.0\.0\.1:9 failed \(ECONNREFUSED\)\./);
        expect(end.stderr).not.to.match(/^ +at /m);
    });
});
