import { expect } from "chai";
import type { ConnectionSettings } from "../../src/plugin/index.js";
import { failureOf } from "../builtin/providers/support.js";
import type { Delivery } from "../helpers/vendors/streaming-server.js";
import { KEY, type VendorServer, VENDORS } from "../helpers/vendors/vendors.js";

const VENDORS_WITH_KEY_TEST = VENDORS.filter(({ provider }) => provider.checkKey);

it("Every vendor of its own can test a key", () => {
    const ids = VENDORS_WITH_KEY_TEST.map(({ provider }) => provider.id);
    expect(ids).to.deep.equal(["anthropic", "openai", "azure", "mistral", "google"]);
});

for (const vendor of VENDORS_WITH_KEY_TEST) {
    describe(`Key test of ${vendor.provider.id}`, () => {
        let server: VendorServer;
        afterEach(() => server.close());

        async function check(
            settings: ConnectionSettings,
            list?: Pick<Delivery, "failure" | "gate">,
            signal = new AbortController().signal
        ): Promise<void> {
            server = await vendor.serve([], list);
            await vendor.provider.checkKey?.({ baseURL: server.url, ...settings }, { signal });
        }

        const failed = (status: number, message: string) =>
            check({ apiKey: KEY }, { failure: { status, error: { message, type: "x" } } });

        it("A key passes when the vendor accepts it, without asking a model", async () => {
            await check({ apiKey: KEY });
            server.assertDone();
            expect(server.requests).to.deep.equal([]);
        });

        it("A wrong key is reported in the vendor's words", async () => {
            const error = await failureOf(check({ apiKey: "another-key" }));
            expect(error.code).to.equal("authentication");
            expect(error.message).to.contain("Incorrect API key provided");
        });

        for (const [status, code] of [
            [403, "authentication"],
            [429, "rate-limited"],
            [500, "server-error"],
        ] as const) {
            it(`Status ${status} is reported as ${code} after one request`, async () => {
                const error = await failureOf(failed(status, "The vendor's words"));
                expect(error.code).to.equal(code);
                expect(error.message).to.contain("The vendor's words");
                expect(server.connectionsMade()).to.equal(1);
            });
        }

        it("An unreachable server is reported", async () => {
            const apiKey = KEY;
            await check({ apiKey });
            await server.close();
            const { url } = server;
            const { signal } = new AbortController();
            const gone = vendor.provider.checkKey?.({ apiKey, baseURL: url }, { signal });
            expect((await failureOf(Promise.resolve(gone))).code).to.equal("network");
            server = await vendor.serve([]);
        });

        it("A cancel ends the key test with the signal's reason", async () => {
            const reason = new Error("Enough");
            const cancel = new AbortController();
            const gate = new Promise<never>(() => undefined);
            const checking = check({ apiKey: KEY }, { gate }, cancel.signal);
            setImmediate(() => cancel.abort(reason));
            const outcome = await checking.catch((error: unknown) => error);
            expect(outcome).to.equal(reason);
        });

        it("A key test needs a key", async () => {
            expect((await failureOf(check({}))).code).to.equal("no-api-key");
        });

        if (vendor.provider.id === "openai") {
            it("A key without permission to list models passes", async () => {
                await failed(403, "You have insufficient permissions. Missing scopes: x.");
            });
        }
    });
}
