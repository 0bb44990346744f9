import { expect } from "chai";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Keychain, systemKeychain } from "../../../src/storage/secrets/keychain.js";
import { deleteApiKey, findApiKey, saveApiKey } from "../../../src/storage/secrets/secrets.js";
import { keyringModule, memoryKeychain, noKeychain } from "../../helpers/keychains.js";
import { PATIENCE_MS } from "../../helpers/patience.js";
import { expectError } from "../expect-error.js";
import { temporaryFolder } from "../temporary-folder.js";

describe("API keys", () => {
    const folder = temporaryFolder();
    const file = () => path.join(folder(), "credentials.json");
    const options = (keychain: Keychain, environment: NodeJS.ProcessEnv = {}) => ({
        provider: "anthropic",
        variable: "ANTHROPIC_API_KEY",
        environment,
        configFolder: folder(),
        keychain,
        report: expect.fail,
    });

    it("A key from the environment is used before the keychain is asked", async () => {
        const keychain = { ...noKeychain, find: () => Promise.reject(new Error("asked")) };
        const found = await findApiKey(options(keychain, { ANTHROPIC_API_KEY: " key-1\n" }));
        expect(found).to.deep.equal({ key: "key-1", source: "environment" });
    });

    it("A key is stored only in the keychain when there is one", async () => {
        const keychain = memoryKeychain();
        await saveApiKey({ ...options(noKeychain), key: "older" });
        expect(await saveApiKey({ ...options(keychain), key: "key-2\n" })).to.equal("keychain");
        expect(await findApiKey(options(keychain, { ANTHROPIC_API_KEY: "" }))).to.deep.equal({
            key: "key-2",
            source: "keychain",
        });
        expect(readFileSync(file(), "utf8")).not.to.contain("older");
        expect(await deleteApiKey(options(keychain))).to.equal(true);
        expect(await findApiKey(options(keychain))).to.equal(undefined);
    });

    it("Without a keychain a key is stored in a private file", async () => {
        const other = { ...options(noKeychain), provider: "openai" };
        expect(await saveApiKey({ ...options(noKeychain), key: "key-3" })).to.equal("file");
        await saveApiKey({ ...other, key: "key-4" });
        expect(statSync(file()).mode & 0o777).to.equal(0o600);
        const found = await findApiKey(options(noKeychain));
        expect(found).to.deep.equal({ key: "key-3", source: "file" });
        expect(await deleteApiKey(options(noKeychain))).to.equal(true);
        expect(await deleteApiKey(options(noKeychain))).to.equal(false);
        expect(await findApiKey(other)).to.deep.equal({ key: "key-4", source: "file" });
    });

    it("A key file that others may read is neither read nor written", async () => {
        await saveApiKey({ ...options(noKeychain), key: "key-5" });
        for (const mode of [0o640, 0o604]) {
            chmodSync(file(), mode);
            const error = await expectError(
                () => findApiKey(options(noKeychain)),
                "credentials-exposed"
            );
            expect(error.nextSteps[0]).to.contain(`chmod 600 ${file()}`);
            const save = () => saveApiKey({ ...options(noKeychain), key: "key-6" });
            await expectError(save, "credentials-exposed");
        }
    });

    it("A damaged key file is reported and not overwritten", async () => {
        writeFileSync(file(), '{"apiKeys": {"openai": "key-7"', { mode: 0o600 });
        await expectError(() => findApiKey(options(noKeychain)), "credentials-corrupt");
        const warnings: string[] = [];
        const report = (warning: string) => warnings.push(warning);
        await saveApiKey({ ...options(noKeychain), key: "key-8", report });
        expect(warnings).to.have.length(1);
        const aside = readdirSync(folder()).find((name) => name.includes(".corrupt-"));
        expect(readFileSync(path.join(folder(), aside ?? ""), "utf8")).to.contain("key-7");
    });
});

describe("System keychain", () => {
    const folder = temporaryFolder();
    const withModule = (source: string, limitMs?: number) => {
        const module = path.join(folder(), "keyring.cjs");
        writeFileSync(module, source);
        const environment = { ...process.env, DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere" };
        return systemKeychain({ environment, module, limitMs });
    };

    it("The keychain stores, finds and removes a key", async () => {
        const keychain = withModule(keyringModule(folder()));
        expect(await keychain.find("openai")).to.equal(undefined);
        expect(await keychain.save("openai", "sécret\n")).to.equal(true);
        expect(await keychain.find("openai")).to.equal("sécret\n");
        expect(await keychain.remove("openai")).to.equal(true);
        expect(await keychain.remove("openai")).to.equal(false);
    });

    it("A keychain that fails, is missing or lies has no keys", async () => {
        const sources = [
            "throw new Error('no such library');",
            "exports.Entry = class { constructor() { throw new Error('locked'); } };",
            "exports.Entry = class { setPassword() {} getPassword() { return null; } deletePassword() { throw 1; } };",
        ];
        for (const source of sources) {
            const keychain = withModule(source);
            expect(await keychain.find("openai"), source).to.equal(undefined);
            expect(await keychain.save("openai", "secret"), source).to.equal(false);
            expect(await keychain.remove("openai"), source).to.equal(false);
        }
    });

    it("A keychain that never answers is abandoned", async () => {
        const started = path.join(folder(), "started");
        const source = `require("node:fs").writeFileSync(${JSON.stringify(started)}, "");
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`;
        // On a slow machine it is abandoned before it starts.
        for (let limitMs = 1500; !existsSync(started) && limitMs < PATIENCE_MS; limitMs *= 2) {
            expect(await withModule(source, limitMs).find("openai")).to.equal(undefined);
        }
        expect(existsSync(started)).to.equal(true);
    });

    if (process.platform === "linux") {
        it("Without a session bus the keychain is not asked", async () => {
            const started = path.join(folder(), "started");
            const module = path.join(folder(), "keyring.cjs");
            writeFileSync(
                module,
                `require("node:fs").writeFileSync(${JSON.stringify(started)}, "")`
            );
            const keychain = systemKeychain({ environment: {}, module });
            expect(await keychain.find("openai")).to.equal(undefined);
            expect(existsSync(started)).to.equal(false);
        });
    }
});
