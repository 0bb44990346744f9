import { expect } from "chai";
import {
    failure,
    reply,
    startMessagesServer,
    text,
    type MessagesServer,
    type Reply,
} from "../helpers/vendors/messages-server.js";
import { Workplace, type ProgramEnd } from "../helpers/north-program.js";

describe("Failing runs", () => {
    let place: Workplace;
    let server: MessagesServer | undefined;

    beforeEach(() => {
        place = new Workplace().reusingProcess();
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

    it("Without a key the error names the variable and `north login`", async () => {
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

    it("An unknown model's error names similar models", async () => {
        const env = await serve();
        const end = await place.run(["-p", "Hi", "--model", "sonet-5"], { env });
        expect(end.code).to.equal(2);
        expect(end.stderr).to.match(/^There is no model called "sonet-5"\.\n.*\bsonnet\b/);
    });

    it("An unknown model's error says why its provider in config.json is missing", async () => {
        place.configure({ providers: { mine: { baseUrl: "http://127.0.0.1:9" } } });
        const end = await place.run(["-p", "Hi", "--model", "mine/x"]);
        expect(end.code).to.equal(2);
        expect(end.stderr).to.contain("config.json: provider `mine`: `baseURL` is missing.");
    });

    it("Unknown or contradictory flags are wrong usage", async () => {
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

    it("A wrong flag is named, with where to find the valid ones", async () => {
        const end = await place.run(["-p", "Hi", "--no-such-flag"]);
        expect(end.stderr).to.contain("has no flag --no-such-flag");
        expect(end.stderr).to.contain("`north chat --help`").and.not.to.contain("USAGE");
    });

    it("A rejected key is reported", async () => {
        const env = await serve();
        const end = await place.run(["-p", "Hi"], { env: { ...env, ANTHROPIC_API_KEY: "wrong" } });
        expect(end.code).to.equal(1);
        expect(end.stderr).to.match(/^Anthropic does not accept the key.*\n.*ANTHROPIC_API_KEY/);
    });

    it("Too many requests are retried after a delay", async () => {
        const limited = failure(429, "rate_limit_error", "Slow down", { "retry-after": "0" });
        const env = await serve(limited, reply(text("at last")));
        const end = await place.run(["-p", "Hi"], { env });
        expect({ code: end.code, stdout: end.stdout }).to.deep.equal({
            code: 0,
            stdout: "at last\n",
        });
        expect(end.stderr).to.match(/rate limit.*Slow down.*Trying again in [\d.]+s\.\n$/);
        server?.assertDone();
    });

    it("A server that does not answer is reported in one sentence", async () => {
        const hadBegun = ({ stderr }: ProgramEnd): boolean => stderr.includes("127.0.0.1");
        const options = { env: { ANTHROPIC_API_KEY: "key" } };
        const end = await place.runIntoLimit(["-p", "Hi"], options, hadBegun);
        expect(end.code).to.equal(1);
        expect(end.stderr).to.match(/^The connection to 127\.0\.0\.1:9 failed \(ECONNREFUSED\)\./);
        expect(end.stderr).not.to.match(/^ +at /m);
    });
});
