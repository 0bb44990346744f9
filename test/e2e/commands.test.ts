import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import {
    reply,
    startMessagesServer,
    text,
    type MessagesServer,
} from "../helpers/vendors/messages-server.js";
import { Workplace, type RunOptions } from "../helpers/north-program.js";

const KEY = "a-key-of-the-test-0123456789";

describe("Other commands", () => {
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

    async function north(args: readonly string[], options: RunOptions = {}): Promise<string> {
        const end = await place.run(args, options);
        expect({ code: end.code, stderr: end.stderr }).to.deep.equal({ code: 0, stderr: "" });
        return end.stdout;
    }

    async function ask(...prompts: string[]): Promise<void> {
        const usage = { input_tokens: 1_000_000, output_tokens: 100_000 };
        server = await startMessagesServer({ script: () => ({ ...reply(text("ok")), usage }) });
        const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url };
        for (const prompt of prompts) await north(["-p", prompt], { env });
    }

    it("North refuses a relative path for its folders, and makes none in the repository", async () => {
        const before = fs.readdirSync(place.repository);
        for (const command of [["conversations"], ["plugins"], ["-p", "hello"]]) {
            const end = await place.run(command, { env: { NORTH_DATA_DIR: "~/data" } });
            expect(end.code, command[0]).to.equal(2);
            expect(end.stderr).to.contain("NORTH_DATA_DIR is not an absolute path: ~/data\n");
        }
        expect(fs.readdirSync(place.repository)).to.deep.equal(before);
    });

    it("`north commands` lists the Markdown commands of the project with their files", async () => {
        expect(await north(["commands"])).to.match(/^\/security-review .*security-review\.md$/m);
        const folder = path.join(place.repository, ".claude/commands/git");
        fs.mkdirSync(folder, { recursive: true });
        fs.writeFileSync(path.join(folder, "review.md"), "Review $1.");
        const origin = ".claude/commands/git/review.md";
        const command = { name: "git:review", usage: "/git:review [arguments]" };
        const { commands } = JSON.parse(await north(["commands", "--json"]));
        expect(commands[0]).to.deep.equal({ ...command, description: "Review $1.", origin });
        expect(await north(["commands"])).to.match(/^\/git:review .*review\.md$/m);
    });

    it("`north costs` sums up requests as a table and as JSON, and can reset", async () => {
        expect(JSON.parse(await north(["costs", "--json"]))).to.deep.equal({
            by: "model",
            rows: [],
            totalUsd: 0,
            unpricedRequests: 0,
            unconfirmedRequests: 0,
        });
        await ask("one", "two");
        const report = JSON.parse(await north(["costs", "--json"]));
        expect(report.rows).to.have.lengthOf(1);
        expect(report.rows[0]).to.deep.include({
            key: "claude-sonnet-5-5",
            requests: 2,
            inputTokens: 2_000_000,
            outputTokens: 200_000,
        });
        // A million in at $2 and 100,000 out at $10 a million, twice.
        expect(report.totalUsd).to.be.closeTo(6, 1e-9);
        expect(await north(["costs"])).to.contain("Total $6.00");
        expect(await north(["costs", "--by", "reason"])).to.equal(
            "No cached tokens were paid again.\n"
        );
        const { as } = JSON.parse(await north(["costs", "--as", "haiku", "--json"]));
        // Prompts of a million tokens are in its dearer band: $0.50 in and $2.50 out a million.
        expect(as.rows.map(({ key }: { key: string }) => key)).to.deep.equal(["claude-sonnet-5-5"]);
        expect(as.totalUsd).to.be.closeTo(1.5, 1e-9);
        expect(await north(["costs", "--as", "haiku"])).to.match(
            /As claude-haiku\S*\n.*\$1\.50\nTotal \$6\.00; \$1\.50 if claude-haiku\S* had used the same/
        );
        const byProject = JSON.parse(await north(["costs", "--by", "project", "--json"]));
        expect(byProject.rows[0].key).to.equal(place.repository);
        const summary = JSON.parse(fs.readFileSync(path.join(place.data, "costs.json"), "utf8"));
        expect(summary.allTimeCostUsd).to.be.closeTo(6, 1e-9);
        const { keptIn } = JSON.parse(await north(["costs", "reset", "--json"]));
        expect(keptIn).to.equal(place.data);
        expect(JSON.parse(await north(["costs", "--json"])).totalUsd).to.equal(0);
    });

    it("`north allowlist` adds, shows, removes and clears", async () => {
        fs.mkdirSync(place.place("packages"));
        await north(["allowlist", "add", "npm test"]);
        await north(["allowlist", "add", "cargo check", "--cwd", "packages"]);
        const list = async () => JSON.parse(await north(["allowlist", "--json"])).allowedCommands;
        expect(await list()).to.deep.equal([
            { command: "npm test", cwd: "" },
            { command: "cargo check", cwd: "packages" },
        ]);
        expect(await north(["allowlist"])).to.match(/^npm test +\.\s*\ncargo check +packages\s*$/m);
        expect(JSON.parse(place.files()[".north/allowlist.json"] ?? "")).to.deep.equal({
            allowedCommands: ["npm test", { command: "cargo check", cwd: "packages" }],
        });
        const left = JSON.parse(await north(["allowlist", "remove", "npm test", "--json"]));
        expect(left.allowedCommands).to.deep.equal(await list());
        expect(await list()).to.deep.equal([{ command: "cargo check", cwd: "packages" }]);
        const cleared = JSON.parse(await north(["allowlist", "clear", "--json"]));
        expect(cleared.allowedCommands).to.deep.equal([]);
        expect(await list()).to.deep.equal([]);
        const gone = await place.run(["allowlist", "remove", "npm test"]);
        expect(gone.code).to.equal(1);
        expect(gone.stderr).to.match(/^"npm test" is not on the allowlist\./);
    });

    it("`north models` lists models with limits, prices and whether there is a key", async () => {
        const list = async (env = {}) => {
            const { models } = JSON.parse(await north(["models", "--json"], { env }));
            return models.find(({ id }: { id: string }) => id === "claude-sonnet-5-5");
        };
        expect(await list()).to.deep.include({ provider: "anthropic", hasKey: false });
        const known = await list({ ANTHROPIC_API_KEY: KEY });
        expect(known.hasKey).to.equal(true);
        expect(known.aliases).to.include("sonnet");
        expect(known.prices.input).to.equal(2);
        expect(await north(["models"])).to.match(/^sonnet +anthropic +no /m);
    });

    it("`north conversations` lists conversations, newest first", async () => {
        expect(JSON.parse(await north(["conversations", "--json"]))).to.deep.equal({
            conversations: [],
        });
        await ask("the first question", "the second question");
        const { conversations } = JSON.parse(await north(["conversations", "--json"]));
        const words = conversations.map((one: { firstWords: string }) => one.firstWords);
        expect(words).to.deep.equal(["the second question", "the first question"]);
        expect(conversations[0]).to.deep.include({ root: place.repository });
        expect(place.conversationIds()).to.include(conversations[0].id);
        expect(await north(["list"])).to.contain("the first question");
        const none = await place.run(["resume", "zzzzzz", "-p", "hi"]);
        expect(none.code).to.equal(1);
        expect(none.stderr).to.match(/^There is no conversation zzzzzz\.\n.*`north conversations`/);
    });

    it("`north login` stores a piped key for this user only, and `north logout` removes it", async () => {
        const file = path.join(place.home, ".config", "north", "credentials.json");
        server = await startMessagesServer({ script: [reply(text("ok"))], apiKey: KEY });
        const env = { ANTHROPIC_BASE_URL: server.url };
        for (const args of [["login"], ["login", "anthropic"]]) {
            const said = await north(args, { env, stdin: { text: `${KEY}\n` } });
            expect(said).to.contain("credentials.json").and.not.to.contain(KEY);
        }
        expect(fs.statSync(file).mode & 0o777).to.equal(0o600);
        expect(JSON.parse(fs.readFileSync(file, "utf8"))).to.deep.equal({
            apiKeys: { anthropic: KEY },
        });
        expect(await north(["-p", "hi"], { env })).to.equal("ok\n");

        fs.chmodSync(file, 0o644);
        const exposed = await place.run(["-p", "hi"], { env });
        expect(exposed.code).to.equal(1);
        expect(exposed.stderr).to.match(/^Other users can read the keys in .*\n.*chmod 600/);
        fs.chmodSync(file, 0o600);

        expect(await north(["logout", "anthropic"])).to.contain("Removed the stored");
        expect(fs.readFileSync(file, "utf8")).not.to.contain(KEY);
        expect((await place.run(["-p", "hi"], { env })).stderr).to.contain("`north login");
    });

    it("`north login` requires a key and a provider that takes keys", async () => {
        const empty = await place.run(["login", "anthropic"], { stdin: { text: "\n" } });
        expect(empty.code).to.be.oneOf([1, 2]);
        expect(empty.stderr).not.to.match(/^ +at |bug/m);
        const unknown = await place.run(["login", "nobody"], { stdin: { text: KEY } });
        expect(unknown.code).to.equal(1);
        expect(unknown.stderr).to.match(/^There is no provider "nobody"/);
        expect(place.writtenAtHome()).not.to.contain(KEY);
    });
});
