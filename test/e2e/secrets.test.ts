import { expect } from "chai";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import {
    failure,
    reply,
    startMessagesServer,
    text,
    toolUse,
    type MessagesServer,
} from "../helpers/vendors/messages-server.js";
import { eventually, Workplace } from "../helpers/north-program.js";
import { resultsIn } from "./requests.js";

/** Like no known form of a key, so that only who knows it can take it out. */
const KEY = "qZ7-plain-0123456789-withoutAnyForm";

describe("Provider keys", () => {
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

    it("A key is not in the environment of commands", async () => {
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

    const others = ["GEMINI_API_KEY", "OPENROUTER_API_KEY", "HF_TOKEN"];
    const keysOfMany = () => Object.fromEntries(others.map((name) => [name, `${KEY}-${name}`]));

    it("A command finds no vendor's key, neither in its environment nor in that of North itself", async function () {
        if (process.platform !== "linux") this.skip();
        const command = "env; tr '\\0' '\\n' < /proc/$PPID/environ";
        server = await startMessagesServer({
            script: [reply(toolUse("run_1", "shell_run", { command })), reply(text("ok"))],
        });
        const many = { ...env(), ...keysOfMany(), OTHER: "kept" };
        const end = await place.run(["-p", "Work", ...flags], { env: many });
        expect(end.code).to.equal(0);
        const { stdout } = resultsIn(server.requests[1]?.body).run_1?.data ?? {};
        expect(stdout).to.match(/OTHER=kept[^]*OTHER=kept/);
        expect(stdout).not.to.contain("[secret withheld]").and.not.to.contain(KEY);
    });

    it("The editor finds no vendor's key in its environment", async () => {
        server = await startMessagesServer({ script: [] });
        const found = path.join(place.folder, "environment");
        const EDITOR = `sh -c 'env > ${found}'`;
        const terminal = place.open([], { env: { ...env(), ...keysOfMany(), EDITOR, VISUAL: "" } });
        await terminal.waitFor("❯");
        terminal.press("ctrl-g");
        await eventually(() => fs.existsSync(found) && fs.statSync(found).size > 0, "the editor");
        expect(fs.readFileSync(found, "utf8")).to.contain("EDITOR=").and.not.to.contain(KEY);
    });

    it("A script of a plugin's installation finds no vendor's key in its environment", async () => {
        server = await startMessagesServer({ script: [] });
        const folder = path.join(place.folder, "plugin");
        const found = path.join(place.folder, "environment");
        fs.mkdirSync(folder);
        const plugin = {
            ...{ name: "curious", version: "1.0.0", oclif: { commands: "./commands" } },
            scripts: { postinstall: `env > ${found}` },
        };
        fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify(plugin));
        execFileSync("npm", ["pack", "--silent"], { cwd: folder });
        const archive = path.join(folder, "curious-1.0.0.tgz");
        const npm = { npm_config_offline: "true", npm_config_audit: "false" };
        const options = { env: { ...env(), ...keysOfMany(), ...npm } };
        const end = await place.run(["plugins", "install", archive], options);
        expect(end.code, end.stderr).to.equal(0);
        expect(fs.readFileSync(found, "utf8")).to.contain("npm_").and.not.to.contain(KEY);
    });

    it("A refused secret is recorded under the call that asked, also beside other calls.", async () => {
        place.write(".env", "TOKEN=1\n");
        server = await startMessagesServer({
            script: [
                reply(
                    toolUse("read_1", "read_file", { path: "notes.txt" }),
                    toolUse("read_2", "read_file", { path: ".env" })
                ),
                reply(text("ok")),
            ],
        });
        await place.run(["-p", "Work", ...flags], { env: env() });
        const [id = ""] = place.conversationIds();
        const reviews = place
            .records(id)
            .flatMap((record) =>
                record.type === "entry_added" && record.entry.kind === "review" ? record.entry : []
            );
        expect(reviews.map(({ callId, what, status }) => [callId, what, status])).to.deep.equal([
            ["read_2", "Let the model read .env, which looks like a secret", "denied"],
        ]);
    });

    it("A key is in no result, whatever a command or a file prints", async () => {
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

    it("A key that the vendor repeats is neither in the log nor in the error", async () => {
        const refused = failure(400, "invalid_request_error", `The key ${KEY} is strange`);
        server = await startMessagesServer({ script: [refused] });
        const end = await place.run(["-p", "Work", ...flags], { env: env() });
        expect(end.code).to.equal(1);
        const log = fs.readFileSync(path.join(place.home, ".local/state/north/north.log"), "utf8");
        expect(log).to.contain("is strange");
        expect(end.stdout).to.contain("is strange");
        expect(end.stdout + end.stderr + place.writtenAtHome()).not.to.contain(KEY);
    });

    it("A stored key is in no result either", async () => {
        server = await startMessagesServer({
            script: [
                reply(toolUse("read_1", "read_file", { path: "notes.txt" })),
                reply(text("ok")),
            ],
            apiKey: KEY,
        });
        const noKey = { ANTHROPIC_BASE_URL: server.url };
        await place.run(["login", "anthropic"], { env: noKey, stdin: { text: KEY } });
        const end = await place.run(["-p", "Work"], { env: noKey });
        expect(end.code).to.equal(0);
        expect(sent()).not.to.contain(KEY);
    });

    it("A key is in no export and no list of the conversation that saw it", async () => {
        const command = "cat notes.txt";
        const call = toolUse("run_1", "shell_run", { command });
        server = await startMessagesServer({ script: [reply(call), reply(text("ok"))] });
        await place.run(["-p", "Work", ...flags], { env: env() });
        const id = place.conversationIds()[0] ?? "";
        for (const args of [
            ["export", id, "--format", "md"],
            ["export", id, "--format", "json"],
            ["show", id],
            ["show", id, "--json"],
        ]) {
            const end = await place.run(["conversations", ...args], { env: env() });
            expect(end.code, end.stderr).to.equal(0);
            expect(end.stdout).to.contain(command).and.not.to.contain(KEY);
        }
    });

    it("A refused key that is repeated appears nowhere but in its request", async () => {
        let release = () => {};
        const gate = new Promise<void>((resolve) => (release = resolve));
        const refused = failure(401, "authentication_error", `invalid x-api-key: ${KEY}`);
        server = await startMessagesServer({ script: [], list: { ...refused, gate } });
        const login = place.start(["login", "anthropic"], {
            env: { ANTHROPIC_BASE_URL: server.url },
            stdin: { text: KEY },
        });
        await eventually(() => server.openConnections() > 0, "the request of the login");
        expect(place.processes().join("\n")).to.contain("login").and.not.contain(KEY);
        release();
        const end = await login.ended;
        expect(end.code).to.equal(1);
        expect(end.stderr).to.contain("invalid x-api-key: [secret withheld]");
        expect(end.stdout + end.stderr + place.writtenAtHome()).not.to.contain(KEY);
    });

    it("A key typed in place of a provider's name appears in no message", async () => {
        server = await startMessagesServer({ script: [] });
        const end = await place.run(["login", "sk-ant-0123456789"], { stdin: { text: KEY } });
        expect(end.code).to.equal(1);
        expect(end.stderr).to.contain("Providers with keys:").and.not.to.contain("0123456789");
    });

    it("A stored key of an unused provider is in no result and no log", async () => {
        server = await startMessagesServer({
            script: [
                reply(toolUse("read_1", "read_file", { path: "notes.txt" })),
                failure(400, "invalid_request_error", `The key ${KEY} is strange`),
            ],
        });
        const folder = path.join(place.home, ".config", "north");
        fs.mkdirSync(folder, { recursive: true });
        const stored = JSON.stringify({ apiKeys: { openai: KEY } });
        fs.writeFileSync(path.join(folder, "credentials.json"), stored, { mode: 0o600 });
        const env = { ANTHROPIC_API_KEY: "another-key", ANTHROPIC_BASE_URL: server.url };
        await place.run(["-p", "Work", "--log-level", "debug"], { env });
        const [id = ""] = place.conversationIds();
        const log = fs.readFileSync(path.join(place.home, ".local/state/north/north.log"), "utf8");
        expect(log).to.contain("is strange");
        expect(sent()).to.contain("the key is [secret withheld]").and.not.to.contain(KEY);
        expect(log + JSON.stringify(place.records(id))).not.to.contain(KEY);
    });
});
