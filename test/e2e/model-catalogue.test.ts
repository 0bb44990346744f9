import { once } from "node:events";
import * as fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { expect } from "chai";
import { Workplace } from "../helpers/north-program.js";

/** An entry as models.dev has it, with a plausible window. */
const entry = (id: string, input: unknown, output: unknown, others: object = {}) => ({
    [id]: {
        ...{ id, name: id, reasoning: true, limit: { context: 400_000, output: 100_000 } },
        cost: { input, output, ...others },
    },
});

const CATALOGUE = {
    openai: {
        id: "openai",
        models: {
            ...entry("gpt-5.6-sol", 4, 20, { cache_read: 0.4 }),
            ...entry("gpt-6.2-sol", 3, 12),
            ...entry("gpt-brand-new", 1, 5, {
                context_over_200k: { input: 2, output: 8, cache_read: 0.2 },
            }),
            ...entry("gpt-free", 0, 0),
            ...entry("gpt-negative", -1, 5),
            ...entry("gpt-per-token", 0.000001, 0.000005),
            ...entry("gpt-per-billion", 2_000_000, 9_000_000),
            ...entry("gpt-odd-cache", 1, 5, { cache_read: 3 }),
            ...entry("gpt-text", "1", 5),
            "tts-1": { id: "tts-1", limit: { context: 1, output: 1 } },
        },
    },
    azure: { id: "azure", models: entry("gpt-6.2-sol", 2.2, 11) },
    stranger: { id: "stranger", models: entry("x", 0, 0) },
};

/** The built program, and a catalogue on loopback. */
describe("north models --refresh", () => {
    let place: Workplace;
    let server: http.Server;
    let source: string;
    let asked: http.IncomingHttpHeaders[];
    let body: string;

    beforeEach(async () => {
        place = new Workplace().reusingProcess();
        asked = [];
        body = JSON.stringify(CATALOGUE);
        server = http.createServer((request, response) => {
            asked.push(request.headers);
            const etag = `"${body.length}"`;
            if (request.headers["if-none-match"] === etag) {
                return void response.writeHead(304, { etag }).end();
            }
            response.writeHead(200, { "content-type": "application/json", etag }).end(body);
        });
        await once(server.listen(0, "127.0.0.1"), "listening");
        source = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api.json`;
        configure({ modelCatalogue: source });
    });
    afterEach(async () => {
        server.closeAllConnections();
        server.close();
        await place.remove();
    });

    function configure(settings: object): void {
        const folder = path.join(place.home, ".config/north");
        fs.mkdirSync(folder, { recursive: true });
        fs.writeFileSync(path.join(folder, "config.json"), JSON.stringify(settings));
    }

    async function models(...flags: readonly string[]) {
        const { code, stdout, stderr } = await place.run(["models", "--all", "--json", ...flags]);
        expect(code, stderr).to.equal(0);
        const { models: listed, catalogue } = JSON.parse(stdout);
        const find = (id: string) => listed.find((model: { id: string }) => model.id === id);
        return { find, catalogue };
    }

    it("Unknown prices come from the catalogue as unconfirmed, with source and date, and own prices stay", async () => {
        expect((await models()).find("gpt-5.6-sol")).to.not.have.property("prices");
        expect(asked, "the catalogue is read only when asked for").to.deep.equal([]);
        await models("--refresh");
        const { find } = await models();
        const { prices } = find("gpt-5.6-sol");
        expect(prices).to.include({ input: 4, output: 20, cacheRead: 0.4, isUnconfirmed: true });
        expect(prices).to.include({ source, asOf: new Date().toISOString().slice(0, 10) });
        expect(find("gpt-6.2-sol").prices).to.include({ input: 2, output: 10 });
        expect(asked).to.have.length(1);
    });

    it("A price that differs from North's own is reported with both, and not used", async () => {
        const { catalogue } = await models("--refresh");
        expect(catalogue.different.map(({ model }: { model: string }) => model)).to.deep.equal([
            "openai/gpt-6.2-sol",
        ]);
        expect(catalogue.different[0].own).to.include({ input: 2, output: 10 });
        expect(catalogue.different[0].catalogue).to.include({ input: 3, output: 12 });
        const { stdout } = await place.run(["models", "--refresh"]);
        expect(stdout).to.match(
            /gpt-6\.2-sol: \$2 and \$10 \(2026-\S+\), in the catalogue \$3 and \$12/
        );
    });

    it("Prices that cannot be true are refused, each with its reason", async () => {
        const { catalogue } = await models("--refresh");
        const reasons = catalogue.refused.map((why: string) => why.replace(/^openai\//, ""));
        expect(reasons).to.have.length(6);
        for (const [index, reason] of [
            /^gpt-free: a price of 0$/,
            /^gpt-negative: a negative price$/,
            /^gpt-per-token: .*a thousand times off/,
            /^gpt-per-billion: .*a thousand times off/,
            /^gpt-odd-cache: cache reads that cost more than input$/,
            /^gpt-text: `cost\.input` must be a price/,
        ].entries()) {
            expect(reasons[index]).to.match(reason);
        }
        expect(catalogue.modelCount).to.equal(4);
    });

    it("The second request asks only for a newer one, and keeps what was read", async () => {
        await models("--refresh");
        const { catalogue, find } = await models("--refresh");
        expect(asked[1]).to.include({ "if-none-match": `"${body.length}"` });
        expect(catalogue).to.include({ isUnchanged: true, modelCount: 4 });
        expect(find("gpt-5.6-sol").prices).to.include({ input: 4 });
    });

    for (const [name, broken] of [
        ["is no JSON", "<html>Sign in</html>"],
        ["holds no models", '{"data": []}'],
        ["is a list", "[1]"],
    ] as const) {
        it(`A catalogue that ${name} is refused with a next step, and the stored one stays`, async () => {
            await models("--refresh");
            body = broken;
            const { code, stderr } = await place.run(["models", "--refresh"]);
            expect(code).to.equal(1);
            expect(stderr).to.include(`The catalogue at ${source} could not be read: `);
            expect(stderr).to.include("`modelCatalogue`");
            expect((await models()).find("gpt-5.6-sol").prices).to.include({ input: 4 });
        });
    }

    it("A damaged file of the catalogue is ignored", async () => {
        await models("--refresh");
        const file = path.join(place.home, ".north/model-catalogue.json");
        for (const damage of [
            "{",
            '{"version":1,"source":"x","models":[{}],"refused":[],"providers":[]}',
        ]) {
            fs.writeFileSync(file, damage);
            expect((await models()).find("gpt-5.6-sol")).to.not.have.property("prices");
        }
    });
});
