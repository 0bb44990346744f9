import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { keyringModule } from "../helpers/keychains.js";
import { eventually, Workplace } from "../helpers/north-program.js";
import {
    type MessagesServer,
    reply,
    startMessagesServer,
    text,
    toolUse,
} from "../helpers/vendors/messages-server.js";
import { resultsIn } from "./requests.js";

/** The built program with the built plugin, and an OAuth server of the MCP SDK. */
describe("north mcp login", () => {
    let place: Workplace;
    let model: MessagesServer | undefined;
    let oauth: ChildProcess;
    let keychain: string;

    beforeEach(async () => {
        place = new Workplace();
        keychain = path.join(place.folder, "keychain");
        const config = path.join(place.home, ".config/north");
        for (const folder of [place.data, keychain, config]) {
            fs.mkdirSync(folder, { recursive: true });
        }
        const root = path.resolve("plugins/north-plugin-mcp");
        const plugins = [{ name: "north-plugin-mcp", root, type: "link" }];
        const content = { name: "north-cli", private: true, oclif: { schema: 1, plugins } };
        fs.writeFileSync(path.join(place.data, "package.json"), JSON.stringify(content));

        oauth = spawn(process.execPath, [path.resolve("test/fixtures/mcp/oauth-server.js")], {
            stdio: ["ignore", "pipe", "ignore"],
        });
        const [address] = (await once(oauth.stdout!, "data")) as [Buffer];
        const far = { type: "http", url: address.toString("utf8").trim() };
        fs.writeFileSync(path.join(config, "mcp.json"), JSON.stringify({ mcpServers: { far } }));
    });
    afterEach(async () => {
        oauth.kill("SIGKILL");
        await model?.close();
        model = undefined;
        await place.remove();
    });

    /** An environment whose keychain is a folder. */
    function env(): Record<string, string> {
        const keyring = path.join(place.folder, "keyring.cjs");
        fs.writeFileSync(keyring, keyringModule(keychain));
        const preload = path.join(place.folder, "preload.cjs");
        fs.writeFileSync(
            preload,
            `const Module = require("node:module");
            const resolve = Module._resolveFilename;
            Module._resolveFilename = (name, ...rest) =>
                name === "@napi-rs/keyring"
                    ? ${JSON.stringify(keyring)}
                    : resolve.call(Module, name, ...rest);`
        );
        return {
            NORTH_DATA_DIR: place.data,
            NODE_OPTIONS: `--require ${preload}`,
            DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere",
        };
    }

    it("A sign-in by a command is stored in the keychain, used by print mode, and removed by a logout", async () => {
        const login = place.start(["mcp", "login", "far"], { env: env() });
        await eventually(() => login.stdout().includes("\nhttp"), "the address to open");
        const [address] = /^http.*$/m.exec(login.stdout())!;
        await fetch(address);
        expect(await login.ended).to.deep.include({ code: 0, stderr: "" });
        expect(login.stdout()).to.contain("You are signed in to far, which offers 1 tool.");
        const [kept] = fs.readdirSync(keychain);
        expect(kept).to.match(/^north-cli-north-plugin-mcp%2F[0-9a-f]{64}$/);
        const secret = JSON.parse(fs.readFileSync(path.join(keychain, kept!), "utf8"));
        expect(secret.tokens).to.have.property("access_token");
        expect(fs.existsSync(path.join(place.home, ".config/north/credentials.json"))).to.equal(
            false
        );

        const allow = ["mcp", "allow", "far", "--read-only", "--yes"];
        expect(await place.run(allow, { env: env() })).to.include({ code: 0 });
        model = await startMessagesServer({
            script: [reply(toolUse("call_1", "far__whoami", {})), reply(text("Done."))],
        });
        const vendor = { ANTHROPIC_API_KEY: "a-key-of-the-test", ANTHROPIC_BASE_URL: model.url };
        await place.run(["-p", "Who am I?"], { env: { ...env(), ...vendor } });
        expect(resultsIn(model.requests.at(-1)?.body).call_1?.data).to.deep.equal({
            text: "signed in: true",
        });

        const logout = await place.run(["mcp", "logout", "far"], { env: env() });
        expect(logout.stdout).to.equal("Removed your sign-in to far.\n");
        expect(fs.readdirSync(keychain)).to.deep.equal([]);
        const asked = await place.run(["mcp"], { env: env() });
        expect(asked.stdout).to.contain("it needs a sign-in (north mcp login far)");
    });
});
