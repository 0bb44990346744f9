import { once } from "node:events";
import * as fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { ConnectionSettings, Provider } from "../../../src/plugin/index.js";
import { createConnections } from "../../../src/host/models/connections.js";
import { createProviderKeys } from "../../../src/host/models/login.js";
import { PATIENCE_MS } from "../../helpers/patience.js";

describe("Provider requests by commands", () => {
    let folder: string;

    beforeEach(() => {
        folder = fs.mkdtempSync(path.join(tmpdir(), "north-keys-"));
    });
    afterEach(() => fs.rmSync(folder, { recursive: true }));

    const sundial: Provider = {
        id: "sundial",
        displayName: "Sundial",
        models: [],
        keyVariable: "SUNDIAL_API_KEY",
        connect: () => Promise.reject(new Error("not called")),
    };

    function keeperOf(provider: Provider) {
        const environment = {};
        const connections = createConnections(environment, folder);
        const report = () => {};
        const options = { connections, environment, configFolder: folder, report };
        return createProviderKeys({ ...options, providers: [provider] });
    }

    it("A request ends in time, even when the provider ignores its signal", async () => {
        const signals: AbortSignal[] = [];
        const deaf: Provider = {
            ...sundial,
            checkKey: (_settings, { signal }) => {
                signals.push(signal);
                return new Promise(() => {});
            },
        };
        expect(await keeperOf(deaf).check(deaf, "a-key", 20)).to.deep.equal({
            kind: "failed",
            reason: "Sundial did not answer within 0.02 s.",
        });
        expect(signals[0]?.aborted).to.equal(true);
    });

    it("A server that was down is asked again what it knows of a model, and then no more", async () => {
        const guessed = {
            id: "m",
            aliases: [],
            displayName: "m",
            contextTokens: 1,
            maxOutputTokens: 1,
        };
        const known = { ...guessed, contextTokens: 9 };
        let asked = 0;
        const late: Provider = {
            ...sundial,
            describesAnyModel: true,
            async discover() {
                asked += 1;
                if (asked === 1) throw new Error("down");
                return [known];
            },
        };
        const connections = createConnections({ SUNDIAL_API_KEY: "a-key-of-the-test" }, folder);
        const resolved = { provider: late, model: guessed, thinks: false };
        expect((await connections.completed(resolved)).model).to.equal(guessed);
        expect((await connections.completed(resolved)).model).to.equal(known);
        expect((await connections.completed(resolved)).model).to.equal(known);
        expect(asked).to.equal(2);
    });

    it("A request ends in time when connecting or listing models never ends", async () => {
        const stuck: Provider = {
            ...sundial,
            connect: () => new Promise(() => {}),
            discover: () => new Promise(() => {}),
        };
        const limits = { connectMs: 20, discoverMs: 20 };
        const environment = { SUNDIAL_API_KEY: "a-key-of-the-test" };
        const connections = createConnections(environment, folder, new Set(), limits);
        for (const asked of [connections.to(stuck), connections.discover(stuck)]) {
            const error = await asked.catch((failure: unknown) => failure);
            expect(error).to.deep.include({
                code: "timeout",
                message: "Sundial did not answer within 0.02 s.",
            });
        }
    });

    it("A provider of a plugin gets North's own fetch when it connects, lists and checks", async () => {
        const given: ConnectionSettings[] = [];
        const keen: Provider = {
            ...sundial,
            connect: async (settings) => {
                given.push(settings);
                return { stream: () => Promise.reject(new Error("not called")) as never };
            },
            discover: async (settings) => {
                given.push(settings);
                return [];
            },
            checkKey: async (settings) => void given.push(settings),
        };
        const environment = { SUNDIAL_API_KEY: "a-key-of-the-test" };
        const connections = createConnections(environment, folder, new Set());
        await connections.to(keen);
        await connections.discover(keen);
        await connections.checkKey(keen, "a-key", PATIENCE_MS);
        const [first] = given;
        expect(given.map(({ fetch }) => fetch)).to.deep.equal(Array(3).fill(first?.fetch));
        const server = http.createServer((_incoming, response) => {
            response.writeHead(307, { location: "http://127.0.0.1:9/" }).end();
        });
        await once(server.listen(0, "127.0.0.1"), "listening");
        const { port } = server.address() as AddressInfo;
        const response = await first?.fetch?.(new Request(`http://127.0.0.1:${port}/`));
        server.close();
        server.closeAllConnections();
        expect(response?.status).to.equal(307);
    });

    it("What is not set is absent from a provider's settings, which a plugin may spread over its own", async () => {
        const given: ConnectionSettings[] = [];
        const open: Provider = {
            ...sundial,
            keyVariable: undefined,
            baseURLVariable: "SUNDIAL_URL",
            async discover(settings) {
                given.push(settings);
                return [];
            },
        };
        await createConnections({ SUNDIAL_URL: "" }, folder, new Set()).discover(open);
        expect(given.map(Object.keys)).to.deep.equal([["fetch", "renewKey"]]);
    });

    it("A provider may lack the requested method", async () => {
        const keeper = keeperOf(sundial);
        expect(await keeper.check(sundial, "a-key")).to.deep.equal({ kind: "untested" });
    });
});
