import { expect } from "chai";
import { answer } from "../helpers/answers.js";
import * as fs from "node:fs";
import path from "node:path";
import { PROGRAM, Workplace } from "../helpers/north-program.js";
import {
    failure,
    type MessagesServer,
    type MessagesServerOptions,
    reply,
    startMessagesServer,
    text,
} from "../helpers/vendors/messages-server.js";
import { openTerminal, type PseudoTerminal } from "../helpers/pseudo-terminal.js";

const KEY = "a-key-that-is-typed-by-nobody";
const DOWN = failure(500, "api_error", "Internal error");

describe("north login", () => {
    let place: Workplace;
    let server: MessagesServer;
    let terminal: PseudoTerminal | undefined;

    beforeEach(() => {
        place = new Workplace();
    });
    afterEach(async () => {
        await terminal?.close();
        terminal = undefined;
        await server.close();
        await place.remove();
    });

    const env = () => ({ ANTHROPIC_BASE_URL: server.url });
    const file = () => path.join(place.home, ".config/north/credentials.json");
    const stored = () =>
        fs.existsSync(file()) ? JSON.parse(fs.readFileSync(file(), "utf8")).apiKeys : {};
    const login = (args: readonly string[] = [], more: Record<string, string> = {}) =>
        place.run(["login", ...args], { env: { ...env(), ...more }, stdin: { text: `${KEY}\n` } });

    async function serve(options: Partial<MessagesServerOptions> = {}): Promise<void> {
        server = await startMessagesServer({ script: [], apiKey: KEY, ...options });
    }

    function openLogin(): PseudoTerminal {
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM, "login", "anthropic"],
            cwd: place.repository,
            env: place.environment(env()),
        });
        return terminal;
    }

    it("A key is tested with the vendor, then stored with a note of the place", async () => {
        await serve();
        const end = await login(["anthropic"]);
        expect(end).to.deep.include({ code: 0, stderr: "" });
        expect(end.stdout).to.equal(
            "Anthropic accepts the key.\n" +
                `Stored in ${file()} (only you can read it); no keychain found.\n`
        );
        expect(stored()).to.deep.equal({ anthropic: KEY });
        expect(fs.statSync(file()).mode & 0o777).to.equal(0o600);
        expect(server.connectionsMade()).to.equal(1);
    });

    it("A key in the environment that takes precedence is mentioned", async () => {
        await serve();
        const end = await login([], { ANTHROPIC_API_KEY: "another-key" });
        expect(end.stdout).to.contain("ANTHROPIC_API_KEY is set and takes precedence.");
        expect(stored()).to.deep.equal({ anthropic: KEY });
    });

    it("A refused key is not stored, and the earlier one is kept", async () => {
        await serve();
        expect((await login()).code).to.equal(0);
        await server.close();
        await serve({ apiKey: "the-only-one" });
        const end = await place.run(["login"], { env: env(), stdin: { text: "b-wrong-key" } });
        expect(end).to.deep.include({ code: 1, stdout: "" });
        expect(end.stderr.split("\n")).to.deep.equal([
            "Anthropic does not accept the key: Incorrect API key provided.",
            "  Nothing was stored.",
            "  Check the key, and run `north login anthropic` again.",
            "",
        ]);
        expect(stored()).to.deep.equal({ anthropic: KEY });
    });

    it("A script stores a key that cannot be tested, with a notice", async () => {
        await serve({ list: DOWN });
        const end = await login();
        expect(end.code).to.equal(0);
        expect(end.stderr).to.equal("Could not check the key. Anthropic had an internal error.\n");
        expect(end.stdout).to.contain("The key is stored unchecked.\n");
        expect(stored()).to.deep.equal({ anthropic: KEY });
    });

    it("The key of a provider without a key test is stored untested", async () => {
        await serve();
        const house = { baseURL: server.url, keyVariable: "HOUSE_KEY", models: [{ id: "m" }] };
        fs.mkdirSync(path.dirname(file()), { recursive: true });
        const settings = JSON.stringify({ providers: { house } });
        fs.writeFileSync(path.join(path.dirname(file()), "config.json"), settings);
        const end = await login(["house"]);
        expect(end, end.stderr).to.include({ code: 0, stderr: "" });
        expect(end.stdout).to.contain("house cannot check keys. The key is stored unchecked.\n");
        expect(stored()).to.deep.equal({ house: KEY });
        expect(server.connectionsMade()).to.equal(0);
    });

    it("With --json one object is printed, and failures go to stderr as well", async () => {
        await serve();
        const end = await login(["--json"]);
        expect(JSON.parse(end.stdout)).to.deep.equal({
            provider: "anthropic",
            storedIn: "file",
            file: file(),
            test: { kind: "accepted" },
        });
        const nobody = await login(["nobody", "--json"]);
        expect(nobody.code).to.equal(1);
        expect(JSON.parse(nobody.stdout).error.code).to.equal("unknown-provider");
        expect(nobody.stderr).to.match(/^There is no provider "nobody" that takes a key\./);
        const out = await place.run(["logout", "--json"], { env: env() });
        expect(JSON.parse(out.stdout)).to.deep.equal({ provider: "Anthropic", wasStored: true });
    });

    it("A terminal shows the prompt for the key and never what is typed", async () => {
        await serve();
        const screen = openLogin();
        await screen.waitFor("Key for Anthropic:");
        screen.type(`${KEY}\r`);
        await screen.waitFor("no keychain found.");
        expect(await screen.exit()).to.deep.include({ exitCode: 0 });
        expect(screen.raw()).to.contain("Checking the key with Anthropic");
        expect(screen.transcript()).to.contain("Anthropic accepts the key.").and.not.contain(KEY);
        expect(stored()).to.deep.equal({ anthropic: KEY });
    });

    for (const [meaning, keys, exitCode] of [
        ["yes", { anthropic: KEY }, 0],
        ["no", {}, 1],
    ] as const) {
        it(`North asks about a key that could not be tested, and obeys a ${meaning}`, async () => {
            await serve({ list: DOWN });
            const screen = openLogin();
            await screen.waitFor("Key for Anthropic:");
            screen.type(`${KEY}\r`);
            await screen.waitFor("Store it unchecked?");
            await answer(screen, meaning, { takesReason: false });
            expect(await screen.exit()).to.deep.include({ exitCode });
            expect(stored()).to.deep.equal(keys);
            expect(screen.transcript()).to.contain("Could not check the key. Anthropic had an");
        });
    }

    it("/logout in the chat forgets the key for the rest of the conversation", async () => {
        await serve({ script: [reply(text("Hello there."))] });
        await login();
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM],
            cwd: place.repository,
            env: place.environment(env()),
        });
        await terminal.waitFor("❯");
        terminal.type("Hi\r");
        await terminal.waitFor("Hello there.");
        terminal.type("/logout\r");
        await terminal.waitFor("Removed the stored Anthropic key.");
        expect(stored()).to.deep.equal({});
        terminal.type("And now?\r");
        await terminal.waitFor("There is no API key for Anthropic.");
        expect(server.requests).to.have.lengthOf(1);
    });
});
